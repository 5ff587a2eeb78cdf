/**
 * A bucket that starts full and gains tokens at an even pace. It is stored as the instant at which it is full again (the
 * generic cell rate algorithm). Integers only: the window must be a multiple of the requests.
 */

import type { LimitAlgorithm, Rate } from "./algorithm.ts";

export interface TokenBucket {
  /** When all tokens are back, in milliseconds since 1970. */
  fullAtMs: number;
}

export const tokenBucket: LimitAlgorithm<TokenBucket> = {
  fresh: () => ({ fullAtMs: 0 }),
  admit(bucket, rate, nowMs) {
    const tokenMs = msPerToken(rate);
    const missingMs = Math.max(0, bucket.fullAtMs - nowMs) + tokenMs;
    if (missingMs > rate.windowMs) {
      return { admitted: false, remaining: 0, retryAfterMs: missingMs - rate.windowMs };
    }
    bucket.fullAtMs = nowMs + missingMs;
    const remaining = Math.floor((rate.windowMs - missingMs) / tokenMs);
    return { admitted: true, remaining, retryAfterMs: 0 };
  },
  remaining(bucket, rate, nowMs) {
    const missingMs = Math.max(0, bucket.fullAtMs - nowMs);
    return Math.floor((rate.windowMs - missingMs) / msPerToken(rate));
  },
  save: ({ fullAtMs }) => ({ fullAtMs }),
  load: ({ fullAtMs }) => ({ fullAtMs }),
};

function msPerToken({ requests, windowMs }: Rate): number {
  return windowMs / requests;
}
