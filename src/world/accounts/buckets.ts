/** The rate limit buckets of an account: which algorithm counts in them, and how they are saved. */

import * as v from "valibot";
import { InputError } from "../../base/input.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import { documentedLimits } from "../../spec/operations.ts";
import type { LimitAlgorithm, Rate } from "../limits/algorithm.ts";
import { type FixedFromFirstBucket, fixedFromFirst } from "../limits/fixed-from-first.ts";
import { type FixedWindowBucket, fixedWindow } from "../limits/fixed-window.ts";
import { type SlidingCounterBucket, slidingCounter } from "../limits/sliding-counter.ts";
import { type SavedSlidingLog, type SlidingLogBucket, slidingLog } from "../limits/sliding-log.ts";
import { type TokenBucket, tokenBucket } from "../limits/token-bucket.ts";

/** A rate limit bucket, as its algorithm keeps it. All of a world's are of one kind. */
export type Bucket =
  | FixedWindowBucket
  | FixedFromFirstBucket
  | SlidingLogBucket
  | SlidingCounterBucket
  | TokenBucket;

type SavedBucket = Exclude<Bucket, SlidingLogBucket> | SavedSlidingLog;

/** The buckets of one account. */
export interface Buckets {
  /** Counts impressions, and clicks where they have none of their own. */
  readonly recordingBucket: Bucket;
  readonly clickBucket?: Bucket | undefined;
  readonly reportingBucket: Bucket;
}

/** The same as JSON. */
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
   * The buckets that were saved at `nowMs`. `field`: where they stand.
   *
   * @throws InputError that names the one that isn't of this world.
   */
  load(saved: SavedBuckets, nowMs: number, field: string): Buckets;
}

const algorithms = {
  "fixed-window": fixedWindow,
  "fixed-from-first": fixedFromFirst,
  "sliding-log": slidingLog,
  "sliding-counter": slidingCounter,
  "token-bucket": tokenBucket,
} satisfies Record<Choice<"limit.algorithm">, unknown>;

const clicksApart = { shared: false, separate: true } satisfies Record<
  Choice<"limit.recording-pool">,
  boolean
>;

export function createBucketKeeper(assumptions: Assumptions): BucketKeeper {
  // It only ever gets the buckets that it made, or that `load` found to be its own.
  const algorithm = algorithms[assumptions["limit.algorithm"]] as BucketKeeper["algorithm"];
  const clicksHaveBucket = clicksApart[assumptions["limit.recording-pool"]];

  const { recording, reporting } = documentedLimits;
  // In the schema's order, as what is loaded has them.
  const savedMembers = Object.keys(algorithm.save(algorithm.fresh(), recording, 0)).join();

  function load(saved: SavedBucket, rate: Rate, nowMs: number, field: string): Bucket {
    const own = Object.keys(saved).join() === savedMembers;
    const bucket = own ? algorithm.load(saved, rate, nowMs) : undefined;
    if (bucket !== undefined) return bucket;
    const expected = `with at most ${rate.requests} used, none of them later than the clock`;
    throw new InputError(field, `must be of ${assumptions["limit.algorithm"]}, ${expected}`);
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
          : "must not be there: clicks don't have";
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
const fixedFromFirstBucket = v.strictObject({ sinceMs: whole, used: whole });
const slidingLogBucket = v.strictObject({
  sinceMs: whole,
  log: v.array(v.strictTuple([whole, whole])),
});
const slidingCounterBucket = v.strictObject({ window: whole, current: whole, previous: whole });
const fullAtBucket = v.strictObject({ fullAtMs: whole });

/** A saved bucket of any algorithm; whether it is one of this world's is for {@link BucketKeeper.load} to say. */
export const savedBucketSchema: v.GenericSchema<unknown, SavedBucket> = v.lazy((input) => {
  // A union would not name the member at fault.
  const members = typeof input === "object" && input !== null ? input : {};
  if ("log" in members) return slidingLogBucket;
  if ("current" in members) return slidingCounterBucket;
  if ("fullAtMs" in members) return fullAtBucket;
  return "sinceMs" in members ? fixedFromFirstBucket : fixedWindowBucket;
});
