/** What every rate limit algorithm has in common. Time comes in; nothing here knows what is being limited. */

/** How many `requests` are admitted in a window of `windowMs`. */
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

/** An algorithm over buckets of its own kind. A bucket is plain data. */
export interface LimitAlgorithm<Bucket> {
  fresh(): Bucket;
  /** Decides on one request at `nowMs`, and counts it if it is admitted. */
  admit(bucket: Bucket, rate: Rate, nowMs: number): Decision;
  /** What {@link Decision.remaining} would say without a request. */
  remaining(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): number;
}
