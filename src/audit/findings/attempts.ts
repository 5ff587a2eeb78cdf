/** The journal's records as what a client did: one attempt a request, with what it asks for and what came of it. */

import { headerOf } from "../../exchange/headers.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { saysDuplicate } from "../../spec/errors.ts";
import { type ClientEvent, eventOf } from "./client-event.ts";
import type { Era } from "./eras.ts";
import { retryAtMsOf } from "./retry-after.ts";

/** A request as its client sent it. It may hold keys: only for judging. */
export interface Attempt {
  readonly sequence: number;
  readonly record: JournalRecord;
  /** Who sent it: the publisher, or whoever has these credentials. */
  readonly who: string;
  readonly credentials: string;
  /** What is to be recorded; undefined for any other request, and for one that doesn't say. */
  readonly event: ClientEvent | undefined;
  /** Equal for requests of one sender that ask for the same. */
  readonly requestKey: string;
  /** Whether only a repetition asks for the same: it is about one event, not about what many want to know or record. */
  readonly isOneEvent: boolean;
  readonly outcome: AttemptOutcome;
  /** When its client had the answer, or noticed that none comes; undefined where nobody knows. */
  readonly answeredMs: number | undefined;
  /** Not to be sent again before; undefined where the answer doesn't say. */
  readonly retryAtMs: number | undefined;
  /** Pauses can be told between attempts with the same number; undefined while the clock stands still. */
  readonly timeline: number | undefined;
  /** Which command to the client it followed: between two with the same number there was none. Undefined where unknown. */
  readonly step?: number | undefined;
}

/**
 * What a client makes of the answer.
 *
 * - `answered`: it has what it wanted, or was told that the event is a duplicate.
 * - `unanswered`: nothing came.
 * - `broken`: its body breaks off, or is a success that can't be read.
 * - `unavailable`: later may be better.
 * - `limited`: too many requests.
 * - `unauthorized`: the credentials are no good.
 * - `refused`: the request is wrong, and will be so again.
 */
export type AttemptOutcome =
  | "answered"
  | "unanswered"
  | "broken"
  | "unavailable"
  | "limited"
  | "unauthorized"
  | "refused";

/** Attempts in order, between two replacements of the world's state, with what is known of how they came about. */
export interface AttemptHistory {
  readonly attempts: readonly Attempt[];
  /** Those before it. */
  earlier(): readonly Attempt[];
  /**
   * Says of each later attempt of the same sender whether it was sent after this one had its answer. To be called with all
   * of them, in their order. In doubt it was on its way.
   */
  sentAfter(answered: Attempt): (next: Attempt) => boolean;
  /** Whether the client said to whoever uses it that this failed, which leaves it to them to ask again. */
  isReportedToCaller(failed: Attempt): boolean;
  /** Whether it had said so, and was asked for this all the same. */
  isRequestedAgain(failed: Attempt, next: Attempt): boolean;
}

/** The attempts that the records show: what a rule applied a second time was sent once. */
export function attemptsOf(
  { first, records }: { readonly first: number; readonly records: readonly JournalRecord[] },
  eras: readonly Era[],
): Attempt[] {
  const attempts: Attempt[] = [];
  let timeline = 0;
  // The first application of the oldest may be forgotten.
  for (let index = isCopy(records[0]) ? 1 : 0; index < records.length; index += 1) {
    const record = records[index];
    if (record === undefined) continue;
    const copy = isCopy(records[index + 1]) ? records[index + 1] : undefined;
    const sequence = first + index;
    while ((eras[timeline]?.last ?? Number.POSITIVE_INFINITY) < sequence) timeline += 1;
    const time = eras[timeline]?.isFrozen === true ? undefined : timeline;
    const copyIsSeen = copy !== undefined && record.fault?.received === "nothing";
    attempts.push(
      copy !== undefined && copyIsSeen && copy.fault?.received !== "nothing"
        ? attemptOf(copy, sequence + 1, time)
        : attemptOf(record, sequence, time),
    );
    if (copy !== undefined) index += 1;
  }
  return attempts;
}

/** Whether a record is the second application of a request. It follows the first, unless that is forgotten. */
function isCopy(record: JournalRecord | undefined): boolean {
  return record?.fault?.application === 2;
}

function attemptOf(record: JournalRecord, sequence: number, timeline: number | undefined): Attempt {
  const credentials = headerOf(record.headers, "authorization") ?? "";
  const who = record.publisher ?? credentials;
  const event = eventOf(record);
  const retryAtMs = retryAtMsOf(record);
  const { method, path, query, body } = record;
  const asked = event?.key ?? [method, path, query, textOf(body)].join("\n");
  return {
    sequence,
    record,
    who,
    credentials,
    event,
    requestKey: `${who}\n${asked}`,
    isOneEvent: event !== undefined && (event.kind === "click" || event.session !== undefined),
    outcome: outcomeOf(record, retryAtMs),
    answeredMs: answeredMsOf(record),
    retryAtMs,
    timeline,
  };
}

function textOf(body: string | Uint8Array): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

const MAY_SUCCEED_LATER: readonly number[] = [408, 425];

function outcomeOf(record: JournalRecord, retryAtMs: number | undefined): AttemptOutcome {
  const { response, producedBy, reason, fault } = record;
  const { status, delivery } = response;
  if (status === 0) return "unanswered";
  // To many clients it is a failed connection, whatever its head said.
  if (delivery?.kind === "cut") return "broken";
  if (status < 400) return fault?.received === "part" ? "broken" : "answered";
  if (producedBy === "limit" || status === 429) return "limited";
  // The service's own refusal has the status that the assumptions give it.
  const isUnauthorized = producedBy === "rule" ? status === 401 : reason === "unauthorized";
  if (isUnauthorized) return "unauthorized";
  const isForNow = status >= 500 || MAY_SUCCEED_LATER.includes(status) || retryAtMs !== undefined;
  if (isForNow) return "unavailable";
  return isDuplicate(record) ? "answered" : "refused";
}

/** Whether a 409 says that the event is on record: not of a surface that is paused. A rule answers what it likes. */
function isDuplicate({ response, reason, producedBy }: JournalRecord): boolean {
  if (response.status !== 409) return false;
  return saysDuplicate(reason) || (producedBy === "rule" && /duplicate/i.test(response.body));
}

function answeredMsOf({ nowMs, response, fault }: JournalRecord): number | undefined {
  if (fault === undefined) return nowMs;
  const { status, delivery } = response;
  // Without a description of how it fails, the client had gone.
  if (delivery === undefined) return status === 0 ? undefined : nowMs;
  switch (delivery.kind) {
    case "whole":
    case "bytes":
    case "cut":
    case "noise":
    case "close":
    case "reset":
      return nowMs + delivery.delayMs;
    case "overtaken":
    case "drip":
    case "silence":
      return undefined;
  }
}

/** Whether the service dealt with the request itself: it works again, and takes this key. */
export function isServed({ outcome, record }: Attempt): boolean {
  const { producedBy, publisher } = record;
  const isRefusal = outcome === "refused" && producedBy === "service" && publisher !== undefined;
  return outcome === "answered" || isRefusal;
}

/** Whether it was up to the client how long to wait after this: it failed, and its answer had no Retry-After. */
export function isPauseChosen(attempt: Attempt): boolean {
  return attempt.retryAtMs === undefined && !isFinal(attempt);
}

/** Whether there was nothing to try again. */
export function isFinal({ outcome }: Attempt): boolean {
  return outcome === "answered" || outcome === "refused" || outcome === "unauthorized";
}

/** How long a client waited between an answer and its next attempt, in milliseconds; undefined where it can't be told. */
export function pauseMs(before: Attempt, next: Attempt): number | undefined {
  if (before.answeredMs === undefined || !isTimed(before, next)) return undefined;
  const pause = next.record.nowMs - before.answeredMs;
  // It didn't wait for the answer.
  return pause < 0 ? undefined : pause;
}

/** Whether the world's clock tells how much time passed between two attempts. */
export function isTimed(before: Attempt, next: Attempt): boolean {
  return before.timeline !== undefined && before.timeline === next.timeline;
}
