/** The rate limit buckets of an account: their algorithm, and their form in snapshots. */

import * as v from "valibot";
import { InputError } from "../../base/input.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import { documentedLimits } from "../../spec/operations.ts";
import type { LimitAlgorithm, Rate } from "../limits/algorithm.ts";
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
  /**
   * The buckets that were saved at `nowMs`. `field` is their place in the snapshot.
   *
   * @throws InputError that names a bucket that doesn't belong to this world.
   */
  load(saved: SavedBuckets, nowMs: number, field: string): Buckets;
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
  // It only gets buckets that it made itself or that `load` has checked.
  const algorithm = algorithms[assumptions["limit.algorithm"]] as BucketKeeper["algorithm"];
  const clicksHaveBucket = clicksApart[assumptions["limit.recording-pool"]];

  const { recording, reporting } = documentedLimits;
  // In the schema's order, like the members of a loaded bucket.
  const savedMembers = Object.keys(algorithm.save(algorithm.fresh(), recording, 0)).join();

  function load(saved: SavedBucket, rate: Rate, nowMs: number, field: string): Bucket {
    const own = Object.keys(saved).join() === savedMembers;
    const bucket = own ? algorithm.load(saved, rate, nowMs) : undefined;
    if (bucket !== undefined) return bucket;
    const expected = `with at most ${rate.requests} requests, none of them later than the clock`;
    throw new InputError(
      field,
      `must be a bucket of ${assumptions["limit.algorithm"]}, ${expected}`,
    );
  }

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
    load({ recordingBucket, clickBucket, reportingBucket }, nowMs, field) {
      if (clicksHaveBucket !== (clickBucket !== undefined)) {
        const expected = clicksHaveBucket
          ? "is required: clicks have"
          : "must be left out: clicks don't have";
        throw new InputError(`${field}.clickBucket`, `${expected} a limit of their own`);
      }
      return {
        recordingBucket: load(recordingBucket, recording, nowMs, `${field}.recordingBucket`),
        clickBucket: clickBucket && load(clickBucket, recording, nowMs, `${field}.clickBucket`),
        reportingBucket: load(reportingBucket, reporting, nowMs, `${field}.reportingBucket`),
      };
    },
  };
}

const whole = v.pipe(v.number(), v.safeInteger());
const fixedWindowBucket = v.strictObject({ window: whole, used: whole });
const slidingLogBucket = v.strictObject({
  sinceMs: whole,
  log: v.array(v.strictTuple([whole, whole])),
});
const fullAtBucket = v.strictObject({ fullAtMs: whole });

/** A saved bucket of any algorithm. {@link BucketKeeper.load} checks whether it belongs to the world. */
export const savedBucketSchema: v.GenericSchema<unknown, SavedBucket> = v.lazy((input) => {
  // The errors of a union would not name the invalid member.
  const members = typeof input === "object" && input !== null ? input : {};
  if ("log" in members) return slidingLogBucket;
  return "fullAtMs" in members ? fullAtBucket : fixedWindowBucket;
});
