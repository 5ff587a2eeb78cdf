/** Windows that begin with a request: the first admitted request begins one, and the first after its end the next. */

import { isCount, type LimitAlgorithm, type Rate } from "./algorithm.ts";

export interface FixedFromFirstBucket {
  /** When the window of `used` began, in milliseconds since 1970. */
  sinceMs: number;
  /** 0 if no window has begun. */
  used: number;
}

export const fixedFromFirst: LimitAlgorithm<FixedFromFirstBucket> = {
  fresh: () => ({ sinceMs: 0, used: 0 }),
  admit(bucket, rate, nowMs) {
    if (usedNow(bucket, rate, nowMs) === 0) {
      bucket.sinceMs = nowMs;
      bucket.used = 0;
    }
    if (bucket.used >= rate.requests) {
      return {
        admitted: false,
        remaining: 0,
        retryAfterMs: bucket.sinceMs + rate.windowMs - nowMs,
      };
    }
    bucket.used += 1;
    return { admitted: true, remaining: rate.requests - bucket.used, retryAfterMs: 0 };
  },
  refund(bucket) {
    // If it was the window's only request, the window counts as not begun.
    bucket.used -= 1;
  },
  remaining: (bucket, rate, nowMs) => rate.requests - usedNow(bucket, rate, nowMs),
  untilFullMs(bucket, rate, nowMs) {
    const spent = usedNow(bucket, rate, nowMs) > 0;
    return spent ? bucket.sinceMs + rate.windowMs - nowMs : 0;
  },
  save: ({ sinceMs, used }) => ({ sinceMs, used }),
  load({ sinceMs, used }, rate, nowMs) {
    return isCount(sinceMs, nowMs) && isCount(used, rate.requests) ? { sinceMs, used } : undefined;
  },
};

/** How many requests the current window has counted. */
function usedNow({ sinceMs, used }: FixedFromFirstBucket, rate: Rate, nowMs: number): number {
  return nowMs < sinceMs + rate.windowMs ? used : 0;
}
