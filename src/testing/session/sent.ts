/** Requests of a client, from the world's journal, and what a client can see of their answers. */

import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { slow } from "../../faults/verdict.ts";
import { eventIdIn, valuesOf } from "../../journal/entry.ts";
import { WorldJournal } from "../../journal/journal.ts";
import { shownEntry } from "../../journal/shown-entry.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { type EventKind, isEventKind } from "../../spec/operations.ts";
import { successMismatch } from "../../spec/responses.ts";
import type { Answer, Sent } from "./session.ts";

/** The requests on record. `stepOf` tells in which step one arrived; undefined: it isn't the client's. */
export function sentIn(
  { journal }: SimulatorCore,
  stepOf: (sequence: number) => number | undefined,
): Sent[] {
  if (!(journal instanceof WorldJournal))
    throw new TypeError("A session needs a simulator of this package.");
  const all: Sent[] = [];
  for (let sequence = 1; sequence <= journal.total; sequence += 1) {
    const step = stepOf(sequence);
    const record = step === undefined ? undefined : journal.exchange(sequence)?.record;
    if (step === undefined || record === undefined) continue;
    const { operation, request, response, fault, limit } = shownEntry(record, sequence, "shown");
    const served =
      fault === undefined ? response : (fault.lost ?? (fault.served ? response : undefined));
    const sent: Sent = {
      ...{ sequence, step, operation, request, fault, limit, got: response },
      atMs: record.nowMs,
      values: Object.fromEntries(valuesOf(request)),
      gotMs: gotMsOf(record.nowMs, record.response),
      served: served === undefined ? [] : [served],
    };
    const first = fault?.application === 2 ? all.pop() : undefined;
    all.push(first === undefined ? sent : withCopy(first, sent));
  }
  return all;
}

/** A fault rule had the service carry out the request twice. The client may see the second answer. */
function withCopy(first: Sent, copy: Sent): Sent {
  const isSeen = first.fault?.received === "nothing" && copy.fault?.received !== "nothing";
  const { got, gotMs, fault } = isSeen ? copy : first;
  return { ...first, got, gotMs, fault, served: [...first.served, ...copy.served] };
}

function gotMsOf(atMs: number, { status, delivery }: ApiResponse): number | undefined {
  // Without a delivery and an answer, the client had left.
  if (delivery === undefined) return status === 0 ? undefined : atMs;
  const isUnknown = ["overtaken", "drip", "silence"].includes(delivery.kind);
  return isUnknown ? undefined : atMs + delivery.delayMs;
}

export function isOfEvent({ operation }: Sent): boolean {
  return isEventKind(operation);
}

/** Whether the complete answer arrived unchanged. */
function isWhole({ fault, got }: Sent): boolean {
  if (got.status === 0) return false;
  return fault === undefined || (fault.received === "whole" && fault.kind !== "garbage");
}

/** Whether the client received the service's own success. */
export function isAcknowledged(sent: Sent): boolean {
  const { got, served, fault } = sent;
  const isServed = served.some(({ status }) => status === 200);
  return isWhole(sent) && got.status === 200 && isServed && fault?.lost === undefined;
}

/** Whether that success came in time, too. The client may have stopped waiting for a late one. */
export function isConfirmed(sent: Sent): boolean {
  const isLate = sent.fault && (sent.fault.delayMs > 0 || slow.includes(sent.fault.kind));
  return isAcknowledged(sent) && isLate !== true;
}

/** Whether the service doesn't read this encoding. Then nothing was done; in another encoding it is another request. */
export function hasWrongEncoding({ got }: Sent): boolean {
  return got.status === 415;
}

/**
 * Whether the client can see that a request limit refused it, whatever the status (`limit.exceeded`): the answer says that
 * nothing is left, or when to try again.
 */
export function isOfLimit({ got: { status, headers } }: Sent): boolean {
  const hints = headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined;
  return status === 429 || ((status === 403 || status === 503) && hints);
}

/** Whether the key was refused, as far as the client can see. */
export function isKeyRefused(sent: Sent): boolean {
  return isWhole(sent) && sent.got.status === 401;
}

const MAY_SUCCEED_LATER: readonly number[] = [408, 425, 429];

/**
 * Whether the request was refused for good: it is wrong, and would be again. A 409 says that the event is on record. If no request
 * is left, a client may take any refusal for the limit's.
 */
export function isRefused(sent: Sent): boolean {
  const { status, headers } = sent.got;
  const isFinal = status >= 400 && status < 500 && !MAY_SUCCEED_LATER.includes(status);
  const isDuplicate = status === 409;
  const mayBeLimit = headers["x-ratelimit-remaining"] === "0" || retryAtMs(sent) !== undefined;
  return isWhole(sent) && isFinal && !isDuplicate && !mayBeLimit;
}

const PASSING_STATUSES: readonly number[] = [0, 500, 502, 503, 504];

/** Whether the request failed, and may succeed if it is sent again. A 200 without a JSON object confirms nothing. */
export function mayPass(sent: Sent): boolean {
  const { status, body } = sent.got;
  const isEmpty = status === 200 && typeof (jsonIn(body) ?? undefined) !== "object";
  return PASSING_STATUSES.includes(status) || isOfLimit(sent) || isEmpty;
}

/** Whether the client chooses how long to wait before it sends this again: it failed, and nothing says when to come back. */
export function isPauseChosen(sent: Sent): boolean {
  const isOver = isAcknowledged(sent) || sent.got.status === 409 || isRefused(sent);
  const isToChange = isKeyRefused(sent) || hasWrongEncoding(sent);
  return !isOver && !isToChange && retryAtMs(sent) === undefined;
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The time in Retry-After (RFC 9110 §10.2.3); undefined if there is none, or none that can be read. */
export function retryAtMs({ got, gotMs, atMs, fault }: Sent): number | undefined {
  const isCut = fault?.kind === "truncate" && fault.received === "part";
  const hint = got.status < 400 || isCut ? undefined : got.headers["retry-after"]?.trim();
  if (hint === undefined) return undefined;
  if (/^\d{1,9}$/.test(hint)) return (gotMs ?? atMs) + Number(hint) * 1000;
  return HTTP_DATE.test(hint) ? Date.parse(hint) : undefined;
}

/** Until when the client may hold other requests back. A limit that doesn't say so may be over only when the next minute ends. */
export function pausedUntilMs(sent: Sent): number {
  return Math.max(sent.atMs, retryAtMs(sent) ?? (isOfLimit(sent) ? sent.atMs + 120_000 : 0));
}

/** How an answer differs from a success as the spec describes it; undefined if it is one (spec §2, §4). */
export function mismatchOf({ operation, values }: Sent, answer: Answer): string | undefined {
  if (answer.status !== 200) return `its status is ${answer.status}, and only 200 is a success`;
  const asked = { get: (name: string) => values[name] };
  return operation && successMismatch(operation, answer.body, asked);
}

/** The body that the client got, if it is a success as the spec describes it. */
export function rightAnswerIn(sent: Sent): unknown {
  return mismatchOf(sent, sent.got) === undefined ? jsonIn(sent.got.body) : undefined;
}

/** Whether the answer to an event says that it is on record. A client needn't read the credit. */
export function confirms({ got, operation }: Sent): boolean {
  if (got.status === 409) return true;
  const body = got.status === 200 ? jsonIn(got.body) : undefined;
  const id = memberOf(body, `${operation}_id`);
  return memberOf(body, "ok") === true && typeof id === "string" && id !== "";
}

/** The ids of the events that the service recorded for this request, whether the answer arrived or not. */
export function recordedIds({ served }: Pick<Sent, "served">, kind: EventKind): string[] {
  return served.flatMap((answer) => eventIdIn(answer, kind) ?? []);
}
