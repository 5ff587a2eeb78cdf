/**
 * Approximates a sliding window by two counters: the current window's, and the previous window's in proportion to how much
 * of it the sliding window still covers. Integers only: the proportion is rounded down.
 */

import { isCount, type LimitAlgorithm, type Rate } from "./algorithm.ts";

export interface SlidingCounterBucket {
  /** The number of the window that `current` belongs to. Windows begin at multiples of their length. -1 before the first. */
  window: number;
  current: number;
  /** How many requests the previous window admitted. */
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
    // The current window's count fades during the next window, the previous window's during this one.
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

/** How many requests of the previous window still count. Exact: the product is a safe integer. */
function carried(previous: number, windowMs: number, elapsedMs: number): number {
  return Math.floor((previous * (windowMs - elapsedMs)) / windowMs);
}

/** The least `elapsedMs` at which {@link carried} is at most `most`. At `windowMs` it is always 0. */
function elapsedForAtMost(most: number, previous: number, windowMs: number): number {
  if (previous <= most) return 0;
  // floor(p·r / w) ≤ m  ⇔  p·r ≤ (m+1)·w − 1  ⇔  r ≤ floor(((m+1)·w − 1) / p), where r is the rest of the window.
  return windowMs - Math.floor(((most + 1) * windowMs - 1) / previous);
}

/** The shortest wait of a refused request: until later in this window if that is possible, otherwise in the next. */
function untilAdmittedMs(current: number, previous: number, rate: Rate, elapsedMs: number): number {
  const { requests, windowMs } = rate;
  if (current < requests) {
    const neededMs = elapsedForAtMost(requests - current - 1, previous, windowMs);
    if (neededMs < windowMs) return neededMs - elapsedMs;
  }
  return windowMs - elapsedMs + elapsedForAtMost(requests - 1, current, windowMs);
}
