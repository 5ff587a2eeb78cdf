/** The rate limit buckets of an account: their algorithm, and their form in snapshots. */

import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import { documentedLimits } from "../../spec/operations.ts";
import type { LimitAlgorithm } from "../limits/algorithm.ts";
import { type FixedWindowBucket, fixedWindow } from "../limits/fixed-window.ts";
import { type SavedSlidingLog, type SlidingLogBucket, slidingLog } from "../limits/sliding-log.ts";
import { type TokenBucket, tokenBucket } from "../limits/token-bucket.ts";

/** A rate limit bucket. All buckets of a world belong to the same algorithm. */
export type Bucket = FixedWindowBucket | SlidingLogBucket | TokenBucket;

type SavedBucket = Exclude<Bucket, SlidingLogBucket> | SavedSlidingLog;

/** The buckets of one account. */
export interface Buckets {
  /** Counts impressions, and also clicks if there is no `clickBucket`. */
  readonly recordingBucket: Bucket;
  readonly clickBucket?: Bucket | undefined;
  readonly reportingBucket: Bucket;
}

/** {@link Buckets} as JSON. */
export interface SavedBuckets {
  readonly recordingBucket: SavedBucket;
  readonly clickBucket?: SavedBucket | undefined;
  readonly reportingBucket: SavedBucket;
}

/** Makes, saves and loads a world's buckets. */
export interface BucketKeeper {
  readonly algorithm: LimitAlgorithm<Bucket, SavedBucket>;
  /** Buckets that have admitted nothing yet. */
  fresh(): Buckets;
  save(buckets: Buckets, nowMs: number): SavedBuckets;
  load(saved: SavedBuckets): Buckets;
}

const algorithms = {
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
} satisfies Record<Choice<"limit.algorithm">, unknown>;

const clicksApart = { shared: false, separate: true } satisfies Record<
  Choice<"limit.recording-pool">,
  boolean
>;

export function createBucketKeeper(assumptions: Assumptions): BucketKeeper {
  // It only gets buckets that it made itself.
  const algorithm = algorithms[assumptions["limit.algorithm"]] as BucketKeeper["algorithm"];
  const clicksHaveBucket = clicksApart[assumptions["limit.recording-pool"]];

  const { recording, reporting } = documentedLimits;

  return {
    algorithm,
    fresh: () => ({
      recordingBucket: algorithm.fresh(),
      clickBucket: clicksHaveBucket ? algorithm.fresh() : undefined,
      reportingBucket: algorithm.fresh(),
    }),
    save: ({ recordingBucket, clickBucket, reportingBucket }, nowMs) => ({
      recordingBucket: algorithm.save(recordingBucket, recording, nowMs),
      ...(clickBucket === undefined
        ? {}
        : { clickBucket: algorithm.save(clickBucket, recording, nowMs) }),
      reportingBucket: algorithm.save(reportingBucket, reporting, nowMs),
    }),
    load: ({ recordingBucket, clickBucket, reportingBucket }) => ({
      recordingBucket: algorithm.load(recordingBucket),
      clickBucket: clickBucket && algorithm.load(clickBucket),
      reportingBucket: algorithm.load(reportingBucket),
    }),
  };
}
