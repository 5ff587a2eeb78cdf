/** The tasks of a client: for each, the commands, the requests, and what the service recorded. */

import { type Attempt, attemptsOf } from "../../audit/findings/attempts.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { slow } from "../../faults/verdict.ts";
import { type Journal, WorldJournal } from "../../journal/journal.ts";
import type { ExchangeItem } from "../../journal/log.ts";
import { type EventKind, isEventKind, type OperationId } from "../../spec/operations.ts";
import { queryKinds } from "./command.ts";
import { viewInWords } from "./names.ts";
import { type PerformedCommand, performedCommandsOf } from "./performed-commands.ts";
import type { AdView, Session } from "./session.ts";
import { type ViewGroup, viewGroupsOf } from "./view-groups.ts";
import { recordedId, type WireExchange } from "./wire-exchange.ts";

interface ArrivedRequest extends WireExchange {
  /** Index of the step in which it was sent. */
  readonly stepIndex: number;
}

/** A request that the client itself sent, with the answer that it saw. Copies made by the network don't count. */
export interface SentRequest extends ArrivedRequest {
  readonly attempt: Attempt;
}

/** An ad view or click to record, or a query to answer, with its requests. */
export interface Task {
  readonly operation: OperationId;
  /** In the words of the API. */
  readonly name: string;
  readonly asks: readonly PerformedCommand[];
  /** In order. */
  readonly sent: readonly SentRequest[];
}

/** An ad view, or a click on one. Views that the requests don't tell apart are one task. */
export interface EventTask extends Task {
  readonly operation: EventKind;
  readonly views: ViewGroup;
  /** The first of them. */
  readonly view: AdView;
  /** The requests that the service recorded under an id of their own, including copies made by the network. */
  readonly recorded: readonly (ArrivedRequest & { readonly id: string })[];
  /** All ids that the service returned for it. */
  readonly ids: ReadonlySet<string>;
}

/** All requests that arrived. */
function arrivalsOf({ steps }: Session): ArrivedRequest[] {
  return steps.flatMap(({ exchanges }, stepIndex) =>
    exchanges.map((one) => ({ ...one, stepIndex })),
  );
}

/** All requests that the client sent. */
export function sentBy(session: Session): SentRequest[] {
  const arrived = new Map(arrivalsOf(session).map((one) => [one.sequence, one]));
  return attemptsOf(recordsOf(session.sim.journal), []).flatMap((attempt) => {
    const arrival = arrived.get(attempt.sequence);
    return arrival === undefined ? [] : [{ ...arrival, attempt }];
  });
}

/** Every simulator's journal has complete records, though its public type shows only entries. */
function recordsOf(journal: Journal): readonly ExchangeItem[] {
  if (journal instanceof WorldJournal) return journal.exchanges();
  throw new TypeError("A session needs a simulator of this package.");
}

/** Every ad view and click that the client was told to report. */
export function eventsOf(
  session: Session,
  sent: readonly SentRequest[] = sentBy(session),
): EventTask[] {
  const groups = viewGroupsOf(session);
  const keyOf = (request: WireExchange): ViewGroup | string | undefined =>
    request.operation === "click" ? request.values.get("impression_id") : groups.about(request);
  const known: SessionRequests = {
    arrivals: groupedBy(arrivalsOf(session).filter(isOfEvent), keyOf),
    sent: groupedBy(sent.filter(isOfEvent), keyOf),
    claimed: new Set<string>(),
  };
  const asked = groupedBy(performedCommandsOf(session), ({ shown }) => shown);
  return groups.all.flatMap((views) => {
    const about = views
      .flatMap((view) => asked.get(view) ?? [])
      .sort((one, other) => one.at - other.at);
    const isClick = ({ command }: PerformedCommand): boolean => command.kind === "click";
    const asks = about.filter((one) => !isClick(one));
    const impression = eventOf({ operation: "impression", views, asks }, [views], known);
    const clicks = about.filter(isClick);
    if (clicks.length === 0) return [impression];
    const ids = [...impression.ids];
    return [impression, eventOf({ operation: "click", views, asks: clicks }, ids, known)];
  });
}

/** Whether it is for an impression or a click. */
export function isOfEvent({ operation }: WireExchange): boolean {
  return isEventKind(operation);
}

/** Requests for impressions by their views, and for clicks by their impression ids. */
type ByEvent<Request> = ReadonlyMap<ViewGroup | string, readonly Request[]>;

interface SessionRequests {
  readonly arrivals: ByEvent<ArrivedRequest>;
  readonly sent: ByEvent<SentRequest>;
  /** Ids of earlier events. A request that the service answered with one of these recorded nothing new. */
  readonly claimed: Set<string>;
}

function eventOf(
  { operation, views, asks }: Pick<EventTask, "operation" | "views" | "asks">,
  keys: readonly (ViewGroup | string)[],
  { arrivals, sent, claimed }: SessionRequests,
): EventTask {
  const [view] = views;
  const ids = new Set<string>();
  const recorded: EventTask["recorded"][number][] = [];
  for (const arrival of inOrder(keys, arrivals)) {
    const id = recordedId(arrival, operation);
    if (id === undefined) continue;
    if (!claimed.has(id)) recorded.push({ ...arrival, id });
    claimed.add(id);
    ids.add(id);
  }
  const shown = viewInWords(view);
  const name = operation === "impression" ? shown : `the click on ${shown}`;
  return { operation, name, asks, sent: inOrder(keys, sent), views, view, recorded, ids };
}

function inOrder<Request extends WireExchange>(
  keys: readonly (ViewGroup | string)[],
  requests: ByEvent<Request>,
): Request[] {
  return keys
    .flatMap((key) => requests.get(key) ?? [])
    .sort((one, other) => one.sequence - other.sequence);
}

/** Every query that was made alone. Of several at once it isn't known which request is for which. */
export function queriesOf(
  session: Session,
  sent: readonly SentRequest[] = sentBy(session),
): Task[] {
  return performedCommandsOf(session).flatMap((asked): Task[] => {
    const { command, at, together } = asked;
    const operation = queryKinds.find((one) => one === command.kind);
    if (operation === undefined || together) return [];
    const own = sent.filter((one) => one.stepIndex === at && one.operation === operation);
    return [{ operation, name: operation, asks: [asked], sent: own }];
  });
}

/**
 * Whether the client sent a session id that it was given for the event, or made all that it sent out of one. If not, it
 * makes its own.
 */
export function hasGivenSession({ views, sent }: EventTask): boolean {
  const given = views.map(({ session }) => session);
  const ids = sent.map(({ values }) => values.get("session_id") ?? "");
  return (
    ids.some((id) => given.includes(id)) ||
    (ids.length > 0 && ids.every((id) => given.some((session) => hasPart(id, session))))
  );
}

/** Whether the text has this part, and no letter or digit right before or after it: "session-1" is no part of "session-12". */
function hasPart(text: string, part: string): boolean {
  const at = text.indexOf(part);
  const around = [text[at - 1], text[at + part.length]];
  return at >= 0 && around.every((char) => char === undefined || !/[a-z0-9]/i.test(char));
}

/** Whether the complete answer arrived unchanged. */
export function isWhole({ fault, got }: WireExchange): boolean {
  if (got.status === 0) return false;
  if (fault === undefined) return true;
  return fault.received === "whole" && fault.kind !== "garbage";
}

/** Whether the client received the service's own success. */
export function isAcknowledged(exchange: WireExchange): boolean {
  const { got, served, fault } = exchange;
  return (
    isWhole(exchange) && got.status === 200 && served?.status === 200 && fault?.lost === undefined
  );
}

/** Whether that success came in time, too. The client may have stopped waiting for a late one. */
export function isCertainlyConfirmed(sent: SentRequest): boolean {
  const { fault } = sent;
  const isLate = fault && (fault.delayMs > 0 || slow.includes(fault.kind));
  return isAcknowledged(sent) && isLate !== true;
}

/** Whether the service doesn't read this encoding. Then nothing was done; another encoding is another request. */
export function hasWrongEncoding({ got }: WireExchange): boolean {
  return got.status === 415;
}

/** Whether the service reads none of the client's encodings. Then nothing else can be judged. */
export function isUnreadable(session: Session): boolean {
  const sent = sentBy(session).filter(isOfEvent);
  return sent.some(hasWrongEncoding) && !sent.some(({ served }) => served?.status === 200);
}

/**
 * Whether the client can see that a request limit refused it, whatever the status (`limit.exceeded`): the answer says
 * that nothing is left, or when to try again.
 */
export function isOfLimit({ got: { status, headers } }: WireExchange): boolean {
  const hints = headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined;
  return status === 429 || ((status === 403 || status === 503) && hints);
}
