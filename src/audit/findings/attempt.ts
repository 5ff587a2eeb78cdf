/** A client's attempts, from the journal: one for each request that it sent, with what it asked for and what came of it. */

import type { ClockMode } from "../../base/clock.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { lenientText } from "../../base/text.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { ExchangeItem, LogItem } from "../../journal/log.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { type Delivery, deliveryTraits } from "../../spec/delivery.ts";
import { saysDuplicate } from "../../spec/errors.ts";
import { successMismatch } from "../../spec/schema-mismatch.ts";
import { type ClientEvent, eventOf, isOneEvent } from "./client-event.ts";

/** A request as its client sent it. It may hold keys, so it must not be shown. */
export interface Attempt {
  readonly sequence: number;
  readonly record: JournalRecord;
  /** The sender: the publisher, or the credentials if they aren't valid. */
  readonly who: string;
  readonly credentials: string;
  /** The event to record; undefined for other requests, and for those that don't name it. */
  readonly event: ClientEvent | undefined;
  /** Equal for requests of one sender that ask for the same. */
  readonly requestKey: string;
  /** Whether only a repetition can ask for the same: it is about one event, not something that many users may send. */
  readonly isOneEvent: boolean;
  readonly outcome: Outcome;
  /** When its client had the answer, or noticed that none comes; undefined if unknown. */
  readonly answeredMs: number | undefined;
  /** The earliest time for a retry; undefined if the answer doesn't say. */
  readonly retryAtMs: number | undefined;
  /** How many connections its sender used at about that time; undefined for browsers, or if it isn't known. */
  readonly connections: number | undefined;
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
 * - `broken`: the body breaks off, or is a success that is unreadable or wrong.
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
      const seen = copy !== undefined && !isSeen(item) && isSeen(copy) ? copy : item;
      attempts.push(attemptOf(seen, { state, timeline: isFrozen ? undefined : timeline }));
      copy = undefined;
    }
  }
  return withConnections(attempts.reverse());
}

function isSeen({ record }: ExchangeItem): boolean {
  return record.fault?.received !== "nothing";
}

function attemptOf(
  { record, sequence }: ExchangeItem,
  era: Pick<Attempt, "state" | "timeline">,
): Attempt {
  const { method, path, query, body } = record;
  const credentials = headerOf(record.headers, "authorization") ?? "";
  const who = record.publisher ?? credentials;
  const event = eventOf(record);
  const answeredMs = answeredMsOf(record);
  const retryAtMs = retryAtMsOf(record, answeredMs);
  const asked = event?.key ?? [method, path, query, lenientText(body)].join("\n");
  return {
    ...{ ...era, sequence, record, who, credentials, event, answeredMs, retryAtMs },
    connections: undefined,
    requestKey: `${who}\n${asked}`,
    isOneEvent: event !== undefined && isOneEvent(event),
    outcome: outcomeOf(record, retryAtMs),
  };
}

/** Among so many requests before and after, a sender that sends several at once uses several connections. */
const NEARBY = 6;
/** A browser lets a request wait for an equal one that is under way, and sends both over one connection. */
const BROWSER = /^Mozilla\//;

function withConnections(attempts: readonly Attempt[]): Attempt[] {
  const used = new Map<Attempt, number>();
  for (const own of groupedBy(attempts, ({ who }) => who).values()) {
    for (const [at, attempt] of own.entries()) {
      const nearby = own.slice(Math.max(0, at - NEARBY), at + NEARBY + 1);
      const numbers = nearby.map(({ record }) => record.connection);
      const agent = headerOf(attempt.record.headers, "user-agent") ?? "";
      const isKnown = !(numbers.includes(undefined) || BROWSER.test(agent));
      if (isKnown) used.set(attempt, new Set(numbers).size);
    }
  }
  return attempts.map((attempt) => ({ ...attempt, connections: used.get(attempt) }));
}

const MAY_SUCCEED_LATER: readonly number[] = [408, 425];

function outcomeOf(record: JournalRecord, retryAtMs: number | undefined): Outcome {
  const { response, producedBy, reason, fault } = record;
  const { status, delivery } = response;
  if (status === 0) return "unanswered";
  // Many clients see a failed connection, whatever the status line said.
  if (delivery && deliveryTraits[delivery.kind].seen === "cut") return "broken";
  if (status < 400)
    return fault?.received === "part" || isWrongAnswer(record) ? "broken" : "answered";
  if (producedBy === "limit" || status === 429) return "limited";
  // The status of the service's own refusal depends on the assumptions.
  const isUnauthorized = producedBy === "rule" ? status === 401 : reason === "unauthorized";
  if (isUnauthorized) return "unauthorized";
  const isForNow = status >= 500 || MAY_SUCCEED_LATER.includes(status) || retryAtMs !== undefined;
  if (isForNow) return "unavailable";
  return isDuplicate(record) ? "answered" : "refused";
}

/** Whether a fault rule made the answer wrong, and the client can see that. */
export function isWrongAnswer(record: JournalRecord): boolean {
  const { response, operation, producedBy, fault } = record;
  if (fault?.kind !== "wrong-body" || producedBy !== "rule" || operation === undefined)
    return false;
  const { status, body } = response;
  const asked = new URLSearchParams(record.query);
  return status !== 200 || successMismatch(operation, body, asked) !== undefined;
}

/** Whether a 409 says that the event is on record. It can also mean a paused surface, and a fault rule may say anything. */
function isDuplicate({ response, reason, producedBy }: JournalRecord): boolean {
  if (response.status !== 409) return false;
  return saysDuplicate(reason) || (producedBy === "rule" && /duplicate/i.test(response.body));
}

function answeredMsOf({ nowMs, response, fault }: JournalRecord): number | undefined {
  const { status, delivery } = response;
  if (fault === undefined) return nowMs;
  // Without a delivery, the client had disconnected.
  if (delivery === undefined) return status === 0 ? undefined : nowMs;
  return ENDLESS.includes(delivery.kind) ? undefined : nowMs + delivery.delayMs;
}

/** How long these take isn't known. */
const ENDLESS: readonly string[] = ["overtaken", "drip", "silence"] satisfies Delivery["kind"][];

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Reads Retry-After as a client does: seconds since it had the answer, or an HTTP date (RFC 9110 §10.2.3). */
function retryAtMsOf(
  { nowMs, response }: JournalRecord,
  answeredMs: number = nowMs,
): number | undefined {
  const { status, headers, delivery } = response;
  // If the body breaks off, many clients never see the headers.
  const isCut = delivery !== undefined && deliveryTraits[delivery.kind].seen === "cut";
  const isSeen = status >= 400 && !isCut;
  const value = isSeen ? headers["retry-after"]?.trim() : undefined;
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return answeredMs + Number(value) * 1000;
  const dateMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
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
