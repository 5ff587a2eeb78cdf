/**
 * The rate limit algorithms, one for each choice of `limit.algorithm`. They are given the time and don't know what they limit.
 * A bucket is plain JSON. Instants are whole milliseconds since 1970 and never run backwards for one bucket.
 */

import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";

/** Admits `requests` in a window of `windowMs` milliseconds. Both are whole numbers of at least 1. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** An algorithm with its own kind of bucket. */
export interface Algorithm<Bucket> {
  /** A bucket that has admitted nothing yet. */
  fresh(): Bucket;
  /** How many requests would be admitted right now. */
  remaining(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): number;
  /** Counts a request. At least one must remain. */
  spend(bucket: Bucket, rate: Rate, nowMs: number): void;
  /** The exact wait until a request is admitted; 0 if one would be now. */
  waitMs(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): number;
}

/** A rate limit bucket. All buckets of a world belong to the same algorithm. */
export type Bucket = FixedWindowBucket | SlidingLogBucket | TokenBucket;

interface FixedWindowBucket {
  /** The number of the window that `used` belongs to; -1 before the first. */
  window: number;
  used: number;
}

/** Windows begin at multiples of their length since 1970: a minute is a calendar minute. */
const fixedWindow: Algorithm<FixedWindowBucket> = {
  fresh: () => ({ window: -1, used: 0 }),
  remaining({ window, used }, { requests, windowMs }, nowMs) {
    return requests - (window === Math.floor(nowMs / windowMs) ? used : 0);
  },
  spend(bucket, { windowMs }, nowMs) {
    const window = Math.floor(nowMs / windowMs);
    bucket.used = bucket.window === window ? bucket.used + 1 : 1;
    bucket.window = window;
  },
  waitMs(bucket, rate, nowMs) {
    if (fixedWindow.remaining(bucket, rate, nowMs) > 0) return 0;
    return (bucket.window + 1) * rate.windowMs - nowMs;
  },
};

interface SlidingLogBucket {
  /** When each request was admitted, in order. Those that have left the window go with the next request. */
  times: number[];
}

/** Refuses a request if the last window already has as many as the limit. */
const slidingLog: Algorithm<SlidingLogBucket> = {
  fresh: () => ({ times: [] }),
  remaining: ({ times }, rate, nowMs) => rate.requests - (times.length - gone(times, rate, nowMs)),
  spend({ times }, rate, nowMs) {
    const first = gone(times, rate, nowMs);
    if (first > 0) times.splice(0, first);
    times.push(nowMs);
  },
  waitMs(bucket, rate, nowMs) {
    if (slidingLog.remaining(bucket, rate, nowMs) > 0) return 0;
    const { times } = bucket;
    return (times[gone(times, rate, nowMs)] ?? nowMs) + rate.windowMs - nowMs;
  },
};

/** How many of these times, the first ones, are outside the window that ends now. */
function gone(times: readonly number[], { windowMs }: Rate, nowMs: number): number {
  let first = 0;
  while (first < times.length && (times[first] ?? 0) <= nowMs - windowMs) first += 1;
  return first;
}

interface TokenBucket {
  /** When all tokens are back, in milliseconds since 1970. */
  fullAtMs: number;
}

/**
 * Starts full and gains tokens at an even pace (the generic cell rate algorithm). Integers only: the window must be a multiple
 * of the requests.
 */
const tokenBucket: Algorithm<TokenBucket> = {
  fresh: () => ({ fullAtMs: 0 }),
  remaining({ fullAtMs }, { requests, windowMs }, nowMs) {
    return Math.floor((windowMs - Math.max(0, fullAtMs - nowMs)) / (windowMs / requests));
  },
  spend(bucket, { requests, windowMs }, nowMs) {
    bucket.fullAtMs = Math.max(bucket.fullAtMs, nowMs) + windowMs / requests;
  },
  waitMs({ fullAtMs }, { requests, windowMs }, nowMs) {
    return Math.max(0, fullAtMs - nowMs + windowMs / requests - windowMs);
  },
};

const algorithms = {
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
} satisfies Record<Choice<"limit.algorithm">, unknown>;

export function algorithmOf(assumptions: Assumptions): Algorithm<Bucket> {
  // It only gets buckets that it made itself: another choice empties them.
  return algorithms[assumptions["limit.algorithm"]] as Algorithm<Bucket>;
}
