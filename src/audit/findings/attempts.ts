/** Turns the journal's records into a client's attempts: one per request, with what it asks for and its outcome. */

import { lenientText } from "../../base/text.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { ExchangeItem } from "../../journal/log.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { deliveryTraits } from "../../spec/delivery.ts";
import { saysDuplicate } from "../../spec/errors.ts";
import { successMismatch } from "../../spec/schema-mismatch.ts";
import { type ClientEvent, eventOf, isOneEvent } from "./client-event.ts";
import { retryAtMsOf } from "./retry-after.ts";

/** A part of the journal in which the clock kept its mode and the state wasn't replaced. */
export interface Era {
  /** Sequence of its last request. */
  readonly last: number;
  /** Whether the world's clock stood still. */
  readonly isFrozen: boolean;
  /** How it ended: the clock changed mode, or the state was replaced. */
  readonly end: "clock" | "state";
}

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
  readonly outcome: AttemptOutcome;
  /** When its client had the answer, or noticed that none comes; undefined if unknown. */
  readonly answeredMs: number | undefined;
  /** The earliest time for a retry; undefined if the answer doesn't say. */
  readonly retryAtMs: number | undefined;
  /** Pauses can be measured between attempts with the same number; undefined while the clock is frozen. */
  readonly timeline: number | undefined;
  /** Number of the command to the client that it followed. Undefined if unknown. */
  readonly step?: number | undefined;
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
export type AttemptOutcome =
  | "answered"
  | "unanswered"
  | "broken"
  | "unavailable"
  | "limited"
  | "unauthorized"
  | "refused";

/** Attempts in order, between two replacements of the world's state, and what is known of their causes. */
export interface AttemptHistory {
  readonly attempts: readonly Attempt[];
  /** The attempts before these. */
  earlier(): readonly Attempt[];
  /**
   * The function that it returns says whether an attempt was sent after `answered` had its answer. Call it with every later
   * attempt of the same sender, in order. In doubt it says no.
   */
  sentAfter(answered: Attempt): (next: Attempt) => boolean;
  /** Whether the client told its caller that this failed. It is then up to the caller to try again. */
  isReportedToCaller(failed: Attempt): boolean;
  /** Whether the client told its caller, and the caller asked for it again. */
  isRequestedAgain(failed: Attempt, next: Attempt): boolean;
}

/** The attempts that the records show. A request that a rule applied twice is one attempt. */
export function attemptsOf(items: readonly ExchangeItem[], eras: readonly Era[]): Attempt[] {
  const attempts: Attempt[] = [];
  let timeline = 0;
  // The oldest record may be a copy whose first application the journal no longer holds.
  for (let index = isCopy(items[0]) ? 1 : 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const { sequence, record } = item;
    const copy = isCopy(items[index + 1]) ? items[index + 1] : undefined;
    while ((eras[timeline]?.last ?? Number.POSITIVE_INFINITY) < sequence) timeline += 1;
    const time = eras[timeline]?.isFrozen === true ? undefined : timeline;
    const isSeen = record.fault?.received !== "nothing";
    const copyIsSeen = copy !== undefined && copy.record.fault?.received !== "nothing";
    attempts.push(attemptOf(copyIsSeen && !isSeen ? copy : item, time));
    if (copy !== undefined) index += 1;
  }
  return attempts;
}

/** Whether a record is the second application of a request. It follows the first. */
function isCopy(item: ExchangeItem | undefined): boolean {
  return item?.record.fault?.application === 2;
}

function attemptOf({ record, sequence }: ExchangeItem, timeline: number | undefined): Attempt {
  const credentials = headerOf(record.headers, "authorization") ?? "";
  const who = record.publisher ?? credentials;
  const event = eventOf(record);
  const answeredMs = answeredMsOf(record);
  const retryAtMs = retryAtMsOf(record, answeredMs);
  const { method, path, query, body } = record;
  const asked = event?.key ?? [method, path, query, lenientText(body)].join("\n");
  return {
    sequence,
    record,
    who,
    credentials,
    event,
    requestKey: `${who}\n${asked}`,
    isOneEvent: event !== undefined && isOneEvent(event),
    outcome: outcomeOf(record, retryAtMs),
    answeredMs,
    retryAtMs,
    timeline,
  };
}

const MAY_SUCCEED_LATER: readonly number[] = [408, 425];

function outcomeOf(record: JournalRecord, retryAtMs: number | undefined): AttemptOutcome {
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
  if (fault === undefined) return nowMs;
  const { status, delivery } = response;
  // Without a delivery, the client had disconnected.
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

/** Whether the service handled the request, so that it works again and accepts this key. */
export function isServed({ outcome, record }: Attempt): boolean {
  const { producedBy, publisher } = record;
  const isRefusal = outcome === "refused" && producedBy === "service" && publisher !== undefined;
  return outcome === "answered" || isRefusal;
}

/** Whether the client chose how long to wait after this: it failed, and its answer had no Retry-After. */
export function isPauseChosen(attempt: Attempt): boolean {
  return attempt.retryAtMs === undefined && !isFinal(attempt);
}

/** Whether a retry would be pointless. */
export function isFinal({ outcome }: Attempt): boolean {
  return outcome === "answered" || outcome === "refused" || outcome === "unauthorized";
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
