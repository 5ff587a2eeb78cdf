/**
 * A log of admitted requests. A request is refused if the last window already has as many as the limit. Requests in the
 * same millisecond share an entry, and old entries are dropped, so the cost of a request is constant.
 */

import type { LimitAlgorithm, Rate } from "./algorithm.ts";

export interface SlidingLogBucket {
  /** When requests were admitted, in milliseconds since 1970, ascending. Entries before `head` are dropped. */
  times: number[];
  /** How many requests were admitted at each of `times`. */
  counts: number[];
  head: number;
  /** The sum of `counts` from `head` on. */
  total: number;
}

/** `log` has an entry for each millisecond with admitted requests: the time since the previous entry, and their number. */
export interface SavedSlidingLog {
  readonly sinceMs: number;
  readonly log: readonly (readonly [afterMs: number, count: number])[];
}

/** Dropped entries are removed when there are this many and they are half of all. Amortised, that is constant per entry. */
const MAX_DROPPED = 512;

export const slidingLog: LimitAlgorithm<SlidingLogBucket, SavedSlidingLog> = {
  fresh: () => ({ times: [], counts: [], head: 0, total: 0 }),
  admit(bucket, rate, nowMs) {
    drop(bucket, nowMs - rate.windowMs);
    const { times, counts, head } = bucket;
    if (bucket.total >= rate.requests) {
      const oldestMs = times[head] ?? nowMs;
      return { admitted: false, remaining: 0, retryAfterMs: oldestMs + rate.windowMs - nowMs };
    }
    const last = times.length - 1;
    if (last >= head && times[last] === nowMs) counts[last] = (counts[last] ?? 0) + 1;
    else {
      times.push(nowMs);
      counts.push(1);
    }
    bucket.total += 1;
    return { admitted: true, remaining: rate.requests - bucket.total, retryAfterMs: 0 };
  },
  remaining: (bucket, rate, nowMs) => rate.requests - currentWindow(bucket, rate, nowMs).total,
  save(bucket, rate, nowMs) {
    const { first } = currentWindow(bucket, rate, nowMs);
    const sinceMs = bucket.times[first] ?? 0;
    let beforeMs = sinceMs;
    const log = bucket.times.slice(first).map((timeMs, index): [number, number] => {
      const afterMs = timeMs - beforeMs;
      beforeMs = timeMs;
      return [afterMs, bucket.counts[first + index] ?? 0];
    });
    return { sinceMs, log };
  },
  load: ({ sinceMs, log }) => {
    const bucket = slidingLog.fresh();
    let timeMs = sinceMs;
    for (const [afterMs, count] of log) {
      timeMs += afterMs;
      bucket.times.push(timeMs);
      bucket.counts.push(count);
      bucket.total += count;
    }
    return bucket;
  },
};

/** Drops the requests admitted up to `untilMs`. */
function drop(bucket: SlidingLogBucket, untilMs: number): void {
  const { times, counts } = bucket;
  while (bucket.head < times.length && (times[bucket.head] ?? 0) <= untilMs) {
    bucket.total -= counts[bucket.head] ?? 0;
    bucket.head += 1;
  }
  if (bucket.head < MAX_DROPPED || bucket.head * 2 < times.length) return;
  times.splice(0, bucket.head);
  counts.splice(0, bucket.head);
  bucket.head = 0;
}

/** The index of the first entry in the window that ends now, and how many requests it admitted. */
function currentWindow(
  { times, counts, head, total }: Readonly<SlidingLogBucket>,
  rate: Rate,
  nowMs: number,
): { readonly first: number; readonly total: number } {
  let first = head;
  let left = total;
  while (first < times.length && (times[first] ?? 0) <= nowMs - rate.windowMs) {
    left -= counts[first] ?? 0;
    first += 1;
  }
  return { first, total: left };
}
