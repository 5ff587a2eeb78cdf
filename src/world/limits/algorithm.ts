/** What every rate limit algorithm has in common. Time comes in; nothing here knows what is being limited. */

/** How many `requests` are admitted in a window of `windowMs`. Both are whole numbers from 1 on. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** What became of one request. `retryAfterMs` is the exact wait until one is admitted again; 0 when this one was. */
export interface Decision {
  readonly admitted: boolean;
  /** How many more would be admitted right now. */
  readonly remaining: number;
  readonly retryAfterMs: number;
}

/**
 * An algorithm over buckets of its own kind. A bucket is plain data; `Saved` is the same as JSON. Instants are whole
 * milliseconds from 1970 on, and never run backwards for one bucket.
 */
export interface LimitAlgorithm<Bucket, Saved = Bucket> {
  fresh(): Bucket;
  /** Decides on one request at `nowMs`, and counts it if it is admitted. */
  admit(bucket: Bucket, rate: Rate, nowMs: number): Decision;
  /** Uncounts the request that the latest `admit` admitted, at the same instant. */
  refund(bucket: Bucket, rate: Rate, nowMs: number): void;
  /** What {@link Decision.remaining} would say without a request. */
  remaining(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): number;
  /** The least wait until all quota is back if nothing else comes, in whole milliseconds; 0 where nothing is spent. */
  untilFullMs(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): number;
  save(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): Saved;
  /** @returns the bucket that was saved at `nowMs`; undefined for what none could have been. */
  load(saved: Readonly<Saved>, rate: Rate, nowMs: number): Bucket | undefined;
}

/** Whether a saved number may be a whole one from 0 to `most`. */
export function isCount(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most;
}
