/**
 * A client's attempts, from the journal: one for each request that it sent, with what it asked for, which event it is about, and what
 * came of it.
 */

import type { ClockMode } from "../../base/clock.ts";
import { lenientText } from "../../base/text.ts";
import { parseParameters } from "../../exchange/parameters.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { ExchangeItem, LogItem } from "../../journal/log.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { type Delivery, deliveryTraits } from "../../spec/delivery.ts";
import { saysDuplicate } from "../../spec/errors.ts";
import { isEventKind, operations } from "../../spec/operations.ts";

/** A request as its client sent it. It may hold keys, so it must not be shown. */
export interface Attempt {
  readonly sequence: number;
  readonly record: JournalRecord;
  /** The sender: the publisher, or the credentials if they aren't valid. */
  readonly who: string;
  readonly credentials: string;
  /** The event to record; undefined for other requests, and for those that don't name it. */
  readonly event: ClientEvent | undefined;
  /** Equal for requests of one sender that ask for the same, encoded alike; undefined for an impression without a session. */
  readonly requestKey: string | undefined;
  readonly outcome: Outcome;
  /** When its client had the answer, or noticed that none comes; undefined if unknown. */
  readonly answeredMs: number | undefined;
  /** The earliest time for a retry; undefined if the answer doesn't say. */
  readonly retryAtMs: number | undefined;
  /** Equal for attempts between which the world's state wasn't replaced. */
  readonly state: number;
  /** Pauses can be measured between attempts with the same number; undefined while the clock stands still. */
  readonly timeline: number | undefined;
}

/**
 * What a client makes of the answer.
 *
 * - `answered`: it has what it wanted, or was told that the event is a duplicate.
 * - `unanswered`: nothing came.
 * - `broken`: the body breaks off, or is a success that is unreadable.
 * - `unavailable`: a retry may succeed.
 * - `limited`: too many requests.
 * - `unauthorized`: the credentials are invalid.
 * - `refused`: the request is wrong, and a retry would be too.
 */
type Outcome =
  | ("answered" | "unanswered" | "broken")
  | ("unavailable" | "limited" | "unauthorized" | "refused");

/** Oldest first. A request that a rule applied twice is one attempt. `mode`: the clock's mode now. */
export function attemptsOf(log: readonly LogItem[], mode: ClockMode): Attempt[] {
  const attempts: Attempt[] = [];
  let [isFrozen, state, timeline] = [mode === "frozen", 0, 0];
  let copy: ExchangeItem | undefined;
  // From the end, because a change says which mode the clock had before it.
  for (const item of log.toReversed()) {
    if (item.kind === "change") {
      const { change } = item;
      const isReplaced = change.kind === "replace";
      if (isReplaced || (change.kind === "set-clock" && change.mode !== change.was)) {
        [isFrozen, timeline] = [change.was === "frozen", timeline - 1];
        if (isReplaced) state -= 1;
      }
    } else if (item.record.fault?.application === 2) copy = item;
    else {
      const seen = item.record.fault?.received === "nothing" ? (copy ?? item) : item;
      attempts.push(attemptOf(seen, { state, timeline: isFrozen ? undefined : timeline }));
      copy = undefined;
    }
  }
  return attempts.reverse();
}

function attemptOf(
  { record, sequence }: ExchangeItem,
  era: Pick<Attempt, "state" | "timeline">,
): Attempt {
  const { method, path, query, headers, body } = record;
  const credentials = headerOf(headers, "authorization") ?? "";
  const who = record.publisher ?? credentials;
  const event = eventOf(record);
  const answeredMs = answeredMsOf(record);
  const retryAtMs = retryAtMsOf(record, answeredMs);
  const asked = event ? event.key : [method, path, query, lenientText(body)].join("\n");
  return {
    ...{ ...era, sequence, record, who, credentials, event, answeredMs, retryAtMs },
    requestKey: asked && [who, asked, headerOf(headers, "content-type")].join("\n"),
    outcome: outcomeOf(record, retryAtMs),
  };
}

const MAY_SUCCEED_LATER: readonly number[] = [408, 425];

function outcomeOf(record: JournalRecord, retryAtMs: number | undefined): Outcome {
  const { response, producedBy, reason, fault } = record;
  const { status, body } = response;
  if (status === 0) return "unanswered";
  if (isCut(record)) return "broken";
  if (status < 400) return fault?.received === "part" ? "broken" : "answered";
  if (producedBy === "limit" || status === 429) return "limited";
  // The status of the service's own refusal depends on the assumptions.
  const isUnauthorized = producedBy === "rule" ? status === 401 : reason === "unauthorized";
  if (isUnauthorized) return "unauthorized";
  const isForNow = status >= 500 || MAY_SUCCEED_LATER.includes(status) || retryAtMs !== undefined;
  if (isForNow) return "unavailable";
  // A 409 can also mean a paused surface.
  const isDuplicate = producedBy === "rule" ? /duplicate/i.test(body) : saysDuplicate(reason);
  return status === 409 && isDuplicate ? "answered" : "refused";
}

/** Many clients see a failed connection then, whatever the status line and the headers said. */
function isCut({ response: { delivery } }: JournalRecord): boolean {
  return delivery !== undefined && deliveryTraits[delivery.kind].seen === "cut";
}

function answeredMsOf({ nowMs, response }: JournalRecord): number | undefined {
  const { status, delivery } = response;
  // Without a delivery, the client had disconnected.
  if (delivery === undefined) return status === 0 ? undefined : nowMs;
  return ENDLESS.includes(delivery.kind) ? undefined : nowMs + delivery.delayMs;
}

/** How long these take isn't known. */
const ENDLESS: readonly string[] = ["overtaken", "drip", "silence"] satisfies Delivery["kind"][];

/** Reads Retry-After as a client does: seconds since it had the answer, or a date (RFC 9110 §10.2.3). */
function retryAtMsOf(record: JournalRecord, answeredMs = record.nowMs): number | undefined {
  const { status, headers } = record.response;
  const value = status < 400 || isCut(record) ? undefined : headers["retry-after"]?.trim();
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return answeredMs + Number(value) * 1000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

/** Whether the service handled the request, so that it works again and accepts this key. */
export function isServed({ outcome, record }: Attempt): boolean {
  const { producedBy, publisher } = record;
  const isRefusal = outcome === "refused" && producedBy === "service" && publisher !== undefined;
  return outcome === "answered" || isRefusal;
}

/** How long the client waited between an answer and its next attempt, in milliseconds; undefined if unknown. */
export function pauseMs(before: Attempt, next: Attempt): number | undefined {
  if (before.answeredMs === undefined || !isTimed(before, next)) return undefined;
  const pause = next.record.nowMs - before.answeredMs;
  // A negative pause: the client didn't wait for the answer.
  return pause < 0 ? undefined : pause;
}

/** Whether the world's clock measured the time between two attempts. */
export function isTimed(before: Attempt, next: Attempt): boolean {
  return before.timeline !== undefined && before.timeline === next.timeline;
}

/** Attempts that follow each other, at least one. */
export type Run = [Attempt, ...Attempt[]];

export type Pair = readonly [before: Attempt, next: Attempt];

export function pairsOf([first, ...others]: Readonly<Run>): Pair[] {
  return others.map((next, at) => [others[at - 1] ?? first, next]);
}

/** Divides attempts into the longest runs of which each one but the first follows the one before. */
export function runsOf(attempts: Readonly<Run>, follows: (...pair: Pair) => boolean): Run[] {
  const runs: Run[] = [[attempts[0]]];
  for (const [before, next] of pairsOf(attempts)) {
    if (follows(before, next)) runs.at(-1)?.push(next);
    else runs.push([next]);
  }
  return runs;
}

/** An impression or a click as its client means it. */
interface ClientEvent {
  /** Equal for the same event; undefined for an impression without a session, because many users may see an ad. */
  readonly key: string | undefined;
  /** Of an impression: publisher, surface and ad. */
  readonly spot?: string | undefined;
  readonly session?: string | undefined;
  /** Of a click: the id of its impression. */
  readonly impression?: string | undefined;
}

/** Undefined for any other request, and for one that lacks a required parameter. */
export function eventOf(
  record: JournalRecord,
  values: EventValues | undefined = eventValues(record),
): ClientEvent | undefined {
  if (values === undefined) return undefined;
  if (record.operation === "click") {
    const impression = values.impression_id;
    if (impression === undefined) return undefined;
    return { key: JSON.stringify(["click", impression]), impression };
  }
  const named = [values.publisher_id, values.surface, values.ad_id];
  if (named.includes(undefined)) return undefined;
  const spot = JSON.stringify(named);
  const session = values.session_id;
  return { key: session && JSON.stringify([spot, session]), spot, session };
}

const names = ["publisher_id", "surface", "ad_id", "session_id", "impression_id"] as const;

/** What a recording request says of its event. */
export type EventValues = { readonly [Name in (typeof names)[number]]?: string | undefined };

/** The parameters of a recording request. Undefined for any other request, and for an ambiguous or unreadable one. */
export function eventValues(
  request: Pick<JournalRecord, "operation" | "query" | "headers" | "body">,
): EventValues | undefined {
  const { operation } = request;
  if (!isEventKind(operation)) return undefined;
  const parsed = parseParameters(request, operations[operation], "any");
  if (parsed.kind === "refused") return undefined;
  return Object.fromEntries(names.map((name) => [name, textOf(parsed.raw[name])]));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
