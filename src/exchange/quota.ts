/** Which bucket a request counts against, and whether it is admitted (spec §8). */

import type { Account, Bucket } from "../accounts/account.ts";
import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { documentedLimits, type LimitClass } from "../contract/limits.ts";
import type { Decision, LimitAlgorithm } from "../limits/algorithm.ts";
import { fixedWindow } from "../limits/fixed-window.ts";

export interface Quota {
  /** Decides on one request of `account` and counts it if it is admitted. */
  admit(limit: LimitClass, account: Account, nowMs: number): Decision;
  /** What X-RateLimit-Remaining says where no quota is known: the documented limit. */
  untouched(limit: LimitClass | undefined): number;
}

const algorithms = {
  "fixed-window": fixedWindow,
} satisfies Record<Choice<"limit.algorithm">, LimitAlgorithm<Bucket>>;

/** A bucket that has admitted nothing yet. */
export function freshBucketOf(assumptions: Assumptions): () => Bucket {
  return algorithms[assumptions["limit.algorithm"]].fresh;
}

export function createQuota(assumptions: Assumptions): Quota {
  const algorithm = algorithms[assumptions["limit.algorithm"]];
  return {
    admit(limit, account, nowMs) {
      const bucket = limit === "recording" ? account.recordingBucket : account.reportingBucket;
      return algorithm.admit(bucket, documentedLimits[limit], nowMs);
    },
    untouched: (limit) => documentedLimits[limit ?? "reporting"].requests,
  };
}
