/** The interface of rate limit algorithms. They are given the time and don't know what they limit. */

/** Admits `requests` in a window of `windowMs` milliseconds. Both are whole numbers of at least 1. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** The decision on one request. `retryAfterMs` is the exact wait until a request is admitted again; 0 if this one was. */
export interface Decision {
  readonly admitted: boolean;
  /** How many more would be admitted right now. */
  readonly remaining: number;
  readonly retryAfterMs: number;
}

/**
 * An algorithm with its own kind of bucket. A bucket is plain data; `Saved` is its JSON form. Instants are whole
 * milliseconds since 1970 and never run backwards for one bucket.
 */
export interface LimitAlgorithm<Bucket, Saved = Bucket> {
  fresh(): Bucket;
  /** Decides on one request at `nowMs`, and counts it if it is admitted. */
  admit(bucket: Bucket, rate: Rate, nowMs: number): Decision;
  /** How many requests would be admitted right now. */
  remaining(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): number;
  save(bucket: Readonly<Bucket>, rate: Rate, nowMs: number): Saved;
  load(saved: Readonly<Saved>): Bucket;
}
