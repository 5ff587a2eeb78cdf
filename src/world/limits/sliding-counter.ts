/**
 * Two counters for a sliding window: this window's, and the one before it in proportion to how much of it is left. All
 * in integers: the proportion is rounded down.
 */

import { isCount, type LimitAlgorithm, type Rate } from "./algorithm.ts";

export interface SlidingCounterBucket {
  /** Number of the window that `current` counts; windows begin at multiples of their length. -1 before the first. */
  window: number;
  current: number;
  /** How many were admitted in the window before. */
  previous: number;
}

export const slidingCounter: LimitAlgorithm<SlidingCounterBucket> = {
  fresh: () => ({ window: -1, current: 0, previous: 0 }),
  admit(bucket, rate, nowMs) {
    const window = Math.floor(nowMs / rate.windowMs);
    const current = currentAt(bucket, window);
    const previous = previousAt(bucket, window);
    const elapsedMs = nowMs - window * rate.windowMs;
    const left = rate.requests - current - carried(previous, rate.windowMs, elapsedMs);
    if (left <= 0) {
      const retryAfterMs = untilAdmittedMs(current, previous, rate, elapsedMs);
      return { admitted: false, remaining: 0, retryAfterMs };
    }
    bucket.window = window;
    bucket.current = current + 1;
    bucket.previous = previous;
    return { admitted: true, remaining: left - 1, retryAfterMs: 0 };
  },
  refund(bucket) {
    bucket.current -= 1;
  },
  remaining(bucket, rate, nowMs) {
    const window = Math.floor(nowMs / rate.windowMs);
    const counted = carried(
      previousAt(bucket, window),
      rate.windowMs,
      nowMs - window * rate.windowMs,
    );
    return rate.requests - currentAt(bucket, window) - counted;
  },
  untilFullMs(bucket, rate, nowMs) {
    const window = Math.floor(nowMs / rate.windowMs);
    const elapsedMs = nowMs - window * rate.windowMs;
    const current = currentAt(bucket, window);
    // What is counted now goes in the next window; else what is left of the window before goes in this one.
    if (current > 0) return rate.windowMs - elapsedMs + elapsedForAtMost(0, current, rate.windowMs);
    const neededMs = elapsedForAtMost(0, previousAt(bucket, window), rate.windowMs);
    return Math.max(0, neededMs - elapsedMs);
  },
  save: ({ window, current, previous }) => ({ window, current, previous }),
  load({ window, current, previous }, rate, nowMs) {
    const latest = Math.floor(nowMs / rate.windowMs);
    const most = isCount(window, latest) ? rate.requests : 0;
    const fits = window >= -1 && window <= latest && isCount(current, most);
    return fits && isCount(previous, most) ? { window, current, previous } : undefined;
  },
};

function currentAt(bucket: Readonly<SlidingCounterBucket>, window: number): number {
  return bucket.window === window ? bucket.current : 0;
}

function previousAt(bucket: Readonly<SlidingCounterBucket>, window: number): number {
  if (bucket.window === window) return bucket.previous;
  return bucket.window === window - 1 ? bucket.current : 0;
}

/** What of the window before still counts. Exact: the product is a safe integer, and its quotient by it is rounded right. */
function carried(previous: number, windowMs: number, elapsedMs: number): number {
  return Math.floor((previous * (windowMs - elapsedMs)) / windowMs);
}

/** The least `elapsedMs` at which {@link carried} is at most `most`: up to `windowMs`, when nothing is carried. */
function elapsedForAtMost(most: number, previous: number, windowMs: number): number {
  if (previous <= most) return 0;
  // floor(p·r / w) ≤ m  ⇔  p·r ≤ (m+1)·w − 1  ⇔  r ≤ floor(((m+1)·w − 1) / p), with r what is left of the window.
  return windowMs - Math.floor(((most + 1) * windowMs - 1) / previous);
}

/** The least wait of a request that is refused now: to a later instant of this window, else to one of the next. */
function untilAdmittedMs(current: number, previous: number, rate: Rate, elapsedMs: number): number {
  const { requests, windowMs } = rate;
  if (current < requests) {
    const neededMs = elapsedForAtMost(requests - current - 1, previous, windowMs);
    if (neededMs < windowMs) return neededMs - elapsedMs;
  }
  return windowMs - elapsedMs + elapsedForAtMost(requests - 1, current, windowMs);
}
