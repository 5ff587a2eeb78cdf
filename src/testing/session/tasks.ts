/**
 * What became of each thing that a client was asked: which requests were for it, what the client said, and what the service
 * has on record of it.
 */

import { type Attempt, attemptsOf } from "../../audit/findings/attempts.ts";
import type { Journal, JournalRing } from "../../journal/journal.ts";
import type { OperationId } from "../../spec/operations.ts";
import { adInWords } from "./names.ts";
import { type PerformedCommand, performedCommandsOf } from "./performed-commands.ts";
import type { AdView, Session } from "./session.ts";
import { recordedId, type WireExchange } from "./wire.ts";

/** A request that arrived. */
interface ArrivedRequest extends WireExchange {
  /** Place of the step in which it was sent. */
  readonly stepIndex: number;
}

/** A request of the client's own, with the answer that it saw. Copies that the network made are none. */
export interface SentRequest extends ArrivedRequest {
  readonly attempt: Attempt;
}

/** A showing or a click to be recorded, or a question to be answered, with the requests for it. */
export interface Task {
  readonly operation: OperationId;
  /** In the words of the API. */
  readonly name: string;
  readonly asks: readonly PerformedCommand[];
  /** In order. */
  readonly sent: readonly SentRequest[];
}

/** A showing, or a click on one. */
export interface EventTask extends Task {
  readonly operation: "impression" | "click";
  readonly showing: AdView;
  /** The requests, copies of the network's included, that the service counted an event for: with different ids. */
  readonly recorded: readonly (ArrivedRequest & { readonly id: string })[];
  /** All ids that the service gave for it. */
  readonly ids: ReadonlySet<string>;
}

/** All that arrived, with the step in which it did. */
function arrivalsOf({ steps }: Session): ArrivedRequest[] {
  return steps.flatMap(({ exchanges }, stepIndex) =>
    exchanges.map((one) => ({ ...one, stepIndex })),
  );
}

/** All that the client sent. */
export function sentBy(session: Session): SentRequest[] {
  const arrived = new Map(arrivalsOf(session).map((one) => [one.sequence, one]));
  return attemptsOf(recordsOf(session.sim.journal), []).flatMap((attempt) => {
    const arrival = arrived.get(attempt.sequence);
    return arrival === undefined ? [] : [{ ...arrival, attempt }];
  });
}

/** The journal of any simulator has whole records, though its users see entries. */
function recordsOf(journal: Journal): ReturnType<JournalRing["records"]> {
  if (!isRing(journal)) throw new TypeError("A session needs a simulator of this package.");
  return journal.records();
}

function isRing(journal: Journal): journal is JournalRing {
  return "records" in journal;
}

/** Every showing that the client was to report, and every click. */
export function eventsOf(
  session: Session,
  sent: readonly SentRequest[] = sentBy(session),
): EventTask[] {
  const life = { arrivals: arrivalsOf(session), sent, claimed: new Set<string>() };
  const asked = performedCommandsOf(session);
  return session.showings.flatMap((showing) => {
    const about = asked.filter(({ shown }) => shown?.ad === showing.ad);
    const isClick = ({ command }: PerformedCommand): boolean => command.kind === "click";
    const impression = eventOf(
      { operation: "impression", showing, asks: about.filter((one) => !isClick(one)) },
      ({ values }) => values.get("ad_id") === showing.ad,
      life,
    );
    const click = eventOf(
      { operation: "click", showing, asks: about.filter(isClick) },
      ({ values }) => impression.ids.has(values.get("impression_id") ?? ""),
      life,
    );
    return click.asks.length > 0 ? [impression, click] : [impression];
  });
}

interface EventLife {
  readonly arrivals: readonly ArrivedRequest[];
  readonly sent: readonly SentRequest[];
  /** Ids of events that came before: what the service took for one of those, it has no record of its own of. */
  readonly claimed: Set<string>;
}

function eventOf(
  { operation, showing, asks }: Pick<EventTask, "operation" | "showing" | "asks">,
  isFor: (request: WireExchange) => boolean,
  { arrivals, sent, claimed }: EventLife,
): EventTask {
  const isOwn = (one: WireExchange): boolean => one.operation === operation && isFor(one);
  const ad = adInWords(showing.ad);
  const ids = new Set<string>();
  const recorded: EventTask["recorded"][number][] = [];
  for (const arrival of arrivals.filter(isOwn)) {
    const id = recordedId(arrival, operation);
    if (id === undefined) continue;
    if (!claimed.has(id)) recorded.push({ ...arrival, id });
    claimed.add(id);
    ids.add(id);
  }
  const name = operation === "impression" ? ad : `the click on ${ad}`;
  return { operation, name, asks, sent: sent.filter(isOwn), showing, recorded, ids };
}

const questions = ["stats", "surfaces", "payouts"] as const satisfies readonly OperationId[];

/** Every question that the client was asked alone: of several at once nobody can tell whose request is whose. */
export function questionsOf(
  session: Session,
  sent: readonly SentRequest[] = sentBy(session),
): Task[] {
  return performedCommandsOf(session).flatMap((asked): Task[] => {
    const { command, at, together } = asked;
    const operation = questions.find((one) => one === command.kind);
    if (operation === undefined || together) return [];
    const own = sent.filter((one) => one.stepIndex === at && one.operation === operation);
    return [{ operation, name: operation, asks: [asked], sent: own }];
  });
}

/** Whether an answer came as it was sent, with nothing missing and nothing in its place. */
export function isWhole({ fault, got }: WireExchange): boolean {
  if (got.status === 0) return false;
  if (fault === undefined) return true;
  return fault.received === "whole" && fault.kind !== "garbage";
}

/** Whether the service's own success came to the client. */
export function isAcknowledged(exchange: WireExchange): boolean {
  const { got, served, fault } = exchange;
  return (
    isWhole(exchange) && got.status === 200 && served?.status === 200 && fault?.lost === undefined
  );
}

/** Whether it was in a form that the service doesn't read: nothing was done, and another form is another request. */
function isWrongForm({ got }: WireExchange): boolean {
  return got.status === 415;
}

/** Whether all that the client sends is in forms that the service doesn't read: then nothing else can be said of it. */
export function isUnreadable(session: Session): boolean {
  const sent = sentBy(session).filter(
    ({ operation }) => operation === "impression" || operation === "click",
  );
  return sent.some(isWrongForm) && !sent.some(({ served }) => served?.status === 200);
}

/**
 * Whether a client can tell that it was the limit which refused it, whatever the status (`limit.exceeded`): nothing is left,
 * or it is told when to come again.
 */
export function isOfLimit({ got: { status, headers } }: WireExchange): boolean {
  const hints = headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined;
  return status === 429 || ((status === 403 || status === 503) && hints);
}
