/** Tells requests that were on their way already when an answer came from those that were sent in spite of it. */

import { type Attempt, isTimed } from "./findings/attempts.ts";

/** How long a request takes to arrive at most. */
const ARRIVAL_MS = 100;
/** Requests that were sent in one go come at smaller intervals than this. */
const BURST_INTERVAL_MS = 20;
/** Longer than this after the answer nothing arrives that was sent before. */
const BURST_MS = 250;
/** Where time can't be told. As many as a browser has connections to a host. */
const MAX_IN_FLIGHT = 6;

/**
 * Says of each later attempt of the same sender whether it was sent after `answered` had its answer. To be called with all
 * of them, in their order. In doubt it was on its way.
 */
export function sentAfter(answered: Attempt): (next: Attempt) => boolean {
  const { answeredMs } = answered;
  let inBurst = true;
  let latestMs = answered.record.nowMs;
  let untimed = 0;

  return (next) => {
    const isAgain = next.isOneEvent && next.requestKey === answered.requestKey;
    if (!isTimed(answered, next)) {
      untimed += 1;
      return isAgain || untimed > MAX_IN_FLIGHT;
    }
    if (answeredMs === undefined) return false;
    const sinceMs = next.record.nowMs - answeredMs;
    inBurst &&= next.record.nowMs - latestMs <= BURST_INTERVAL_MS && sinceMs <= BURST_MS;
    latestMs = next.record.nowMs;
    return isAgain ? sinceMs >= 0 : !inBurst && sinceMs > ARRIVAL_MS;
  };
}

/** The same without the benefit of the doubt: whatever came after the answer may have been sent after it. */
export function perhapsSentAfter(answered: Attempt): (next: Attempt) => boolean {
  const isSentAfter = sentAfter(answered);
  const { answeredMs } = answered;
  return (next) => {
    const isSure = isSentAfter(next);
    if (isSure || answeredMs === undefined || !isTimed(answered, next)) return isSure;
    return next.record.nowMs >= answeredMs;
  };
}
