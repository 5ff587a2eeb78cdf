/** Decides which requests a client sent after it had an answer, and which were already on their way. */

import { type Attempt, isTimed } from "./findings/attempts.ts";

/** The longest time that a request takes to arrive. */
const ARRIVAL_MS = 100;
/** The longest interval between requests that were sent in one go. */
const BURST_INTERVAL_MS = 20;
/** Nothing that was sent before the answer arrives later than this after it. */
const BURST_MS = 250;
/** Applies while the clock is frozen. A browser opens this many connections to a host. */
const MAX_IN_FLIGHT = 6;

/**
 * The function that it returns says whether an attempt was sent after `answered` had its answer. Call it with every later
 * attempt of the same sender, in order. In doubt it says no.
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

/** Like {@link sentAfter}, but in doubt it says yes: whatever came after the answer may have been sent after it. */
export function perhapsSentAfter(answered: Attempt): (next: Attempt) => boolean {
  const isSentAfter = sentAfter(answered);
  const { answeredMs } = answered;
  return (next) => {
    const isSure = isSentAfter(next);
    if (isSure || answeredMs === undefined || !isTimed(answered, next)) return isSure;
    return next.record.nowMs >= answeredMs;
  };
}
