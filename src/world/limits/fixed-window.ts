/** Fixed windows that begin at multiples of their length since 1970: a minute is a calendar minute. */

import type { LimitAlgorithm } from "./algorithm.ts";

export interface FixedWindowBucket {
  /** The number of the window that `used` belongs to; -1 before the first. */
  window: number;
  used: number;
}

export const fixedWindow: LimitAlgorithm<FixedWindowBucket> = {
  fresh: () => ({ window: -1, used: 0 }),
  admit(bucket, rate, nowMs) {
    const window = Math.floor(nowMs / rate.windowMs);
    if (bucket.window !== window) {
      bucket.window = window;
      bucket.used = 0;
    }
    if (bucket.used >= rate.requests) {
      return { admitted: false, remaining: 0, retryAfterMs: (window + 1) * rate.windowMs - nowMs };
    }
    bucket.used += 1;
    return { admitted: true, remaining: rate.requests - bucket.used, retryAfterMs: 0 };
  },
  remaining(bucket, rate, nowMs) {
    const current = bucket.window === Math.floor(nowMs / rate.windowMs);
    return rate.requests - (current ? bucket.used : 0);
  },
  save: ({ window, used }) => ({ window, used }),
  load: ({ window, used }) => ({ window, used }),
};
