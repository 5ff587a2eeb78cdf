/** Request limits (spec §8): which requests are counted together, and whether one more is admitted. */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { documentedLimits, isLimited, type OperationId, operations } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Pool } from "../world/accounts/state.ts";
import { algorithmOf, type Rate } from "../world/limits/algorithms.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

/** What is left of one limit. */
export interface QuotaLeft {
  readonly name: Pool;
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
}

export type Limits = ReturnType<typeof createLimits>;

const rates: Readonly<Record<Pool, Rate>> = {
  ...documentedLimits,
  clicks: documentedLimits.recording,
};

export function createLimits(assumptions: Assumptions) {
  const algorithm = algorithmOf(assumptions);
  const areApart = assumptions["limit.recording-pool"] === "separate";
  const poolOf = (id: OperationId): Pool =>
    id === "click" && areApart ? "clicks" : operations[id].limit;
  const recorded = areApart ? "impression" : "impression and click";
  const reported = isLimited("surfaces", assumptions) ? "stats and reporting" : "stats";
  const counted: Readonly<Record<Pool, string>> = {
    recording: `10,000 ${recorded} requests of this publisher`,
    clicks: "10,000 click requests of this publisher",
    reporting: `60 ${reported} requests with this API key`,
  };
  const remainingIn = (pool: Pool, { buckets }: Account, nowMs: number): number =>
    algorithm.remaining(buckets[pool], rates[pool], nowMs);

  /**
   * How many more requests would be admitted now. Without an operation it is about the reporting limit; without an account,
   * about a full quota.
   */
  function remaining(
    operation: OperationId | undefined,
    account: Account | undefined,
    nowMs: number,
  ): number {
    const pool = poolOf(operation ?? "stats");
    const isCounted = account !== undefined && isLimited(operation ?? "stats", assumptions);
    return isCounted ? remainingIn(pool, account, nowMs) : rates[pool].requests;
  }

  return {
    remaining,
    /** Counts a request of `account`, unless it is refused. @returns how many more would be admitted now. */
    admit(operation: OperationId, account: Account, nowMs: number): number | Refusal {
      const pool = poolOf(operation);
      const bucket = account.buckets[pool];
      const left = remaining(operation, account, nowMs);
      if (!isLimited(operation, assumptions)) return left;
      if (left === 0) {
        const waitMs = algorithm.waitMs(bucket, rates[pool], nowMs);
        return { ...refused("rate_limited", `More than ${counted[pool]} in a minute.`), waitMs };
      }
      algorithm.spend(bucket, rates[pool], nowMs);
      return left - 1;
    },
    /** What is left of each limit that counts the account's requests. */
    left: (account: Account, nowMs: number): readonly QuotaLeft[] =>
      Array.from(new Set((["impression", "click", "stats"] as const).map(poolOf)), (name) => ({
        name,
        limit: rates[name].requests,
        remaining: remainingIn(name, account, nowMs),
      })),
  };
}
