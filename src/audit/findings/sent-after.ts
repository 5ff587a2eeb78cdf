/** Decides which requests a client sent after it had an answer, and which may have been on their way already. */

import { type Attempt, isTimed } from "./attempt.ts";

/** The longest time that a request takes to arrive. */
const ARRIVAL_MS = 100;
/** The longest interval between requests that were sent in one go. */
const BURST_INTERVAL_MS = 20;
/** Nothing that was sent before the answer arrives later than this after it. */
const BURST_MS = 250;
/** Applies while the clock is frozen. A browser opens this many connections to a host. */
const MAX_IN_FLIGHT = 6;

/** Whether the client had the answer when it sent `next`. */
export type SentAfter = (next: Attempt) => "yes" | "perhaps" | "no";

/**
 * Call the function that it returns with every later attempt of the same sender, in order. In doubt that says "perhaps".
 *
 * Over its only connection a client sends nothing before it has the last answer. An event that is sent again was answered.
 */
export function sentAfter(answered: Attempt): SentAfter {
  const { answeredMs, connection, requestKey } = answered;
  let inBurst = true;
  let latestMs = answered.record.nowMs;
  let untimed = 0;

  return (next) => {
    const isOnConnection = connection !== undefined && connection === next.connection;
    const isSure = isOnConnection || (next.isOneEvent && next.requestKey === requestKey);
    if (!isTimed(answered, next)) {
      untimed += 1;
      return isSure || untimed > MAX_IN_FLIGHT ? "yes" : "no";
    }
    const { nowMs } = next.record;
    const sinceMs = nowMs - (answeredMs ?? Number.POSITIVE_INFINITY);
    inBurst &&= nowMs - latestMs <= BURST_INTERVAL_MS && sinceMs <= BURST_MS;
    latestMs = nowMs;
    if (sinceMs < 0) return "no";
    return isSure || (!inBurst && sinceMs > ARRIVAL_MS) ? "yes" : "perhaps";
  };
}
