/** Request limits (spec §8): which requests are counted together, and whether one more is admitted. */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { documentedLimits, isLimited, type OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Pool as PoolName } from "../world/accounts/state.ts";
import { algorithmOf, type Rate } from "../world/limits/algorithms.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

export type Admission =
  /** `remaining`: how many more would be admitted right now. */
  | { readonly kind: "admitted"; readonly remaining: number }
  /** `waitMs`: the exact wait until a request is admitted again. */
  | (Refusal & { readonly waitMs: number });

/** What is left of one limit. */
export interface QuotaLeft {
  readonly name: PoolName;
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
}

export interface Limits {
  /** Decides on a request of `account`, and counts it if it is admitted. */
  admit(operation: OperationId, account: Account, nowMs: number): Admission;
  /**
   * How many more requests would be admitted now. Without an operation it is about the reporting limit; without an account,
   * about a full quota.
   */
  remaining(
    operation: OperationId | undefined,
    account: Account | undefined,
    nowMs: number,
  ): number;
  /** What is left of each limit that counts the account's requests. */
  left(account: Account, nowMs: number): readonly QuotaLeft[];
}

/** Which pool counts an operation, and how its refusal names those requests. */
interface Pool {
  readonly name: PoolName;
  readonly requests: string;
}

export function createLimits(assumptions: Assumptions): Limits {
  const algorithm = algorithmOf(assumptions);
  const pools = poolsUnder(assumptions);

  function remaining(pool: Pool, account: Account | undefined, nowMs: number): number {
    const rate = rateOf(pool);
    if (account === undefined) return rate.requests;
    return algorithm.remaining(account.buckets[pool.name], rate, nowMs);
  }

  return {
    admit(operation, account, nowMs) {
      const pool = pools[operation];
      const rate = rateOf(pool);
      if (!isLimited(operation, assumptions)) {
        return { kind: "admitted", remaining: rate.requests };
      }
      const bucket = account.buckets[pool.name];
      const left = algorithm.remaining(bucket, rate, nowMs);
      if (left === 0) {
        const refusal = refused("rate_limited", `More than ${pool.requests} in a minute.`);
        return { ...refusal, waitMs: algorithm.waitMs(bucket, rate, nowMs) };
      }
      algorithm.spend(bucket, rate, nowMs);
      return { kind: "admitted", remaining: left - 1 };
    },
    remaining(operation = "stats", account, nowMs) {
      const counted = isLimited(operation, assumptions) ? account : undefined;
      return remaining(pools[operation], counted, nowMs);
    },
    left(account, nowMs) {
      const counted = new Set([pools.impression, pools.click, pools.stats]);
      return Array.from(counted, (pool) => ({
        name: pool.name,
        limit: rateOf(pool).requests,
        remaining: remaining(pool, account, nowMs),
      }));
    },
  };
}

function rateOf({ name }: Pool): Rate {
  return documentedLimits[name === "reporting" ? "reporting" : "recording"];
}

function poolsUnder(assumptions: Assumptions): Readonly<Record<OperationId, Pool>> {
  const counts =
    assumptions["limit.reporting-endpoints"] === "stats-only" ? "stats" : "stats and reporting";
  const requests = `60 ${counts} requests with this API key`;
  const reporting: Pool = { name: "reporting", requests };
  const recording = recordingPools(assumptions["limit.recording-pool"] === "separate");
  return { ...recording, stats: reporting, surfaces: reporting, payouts: reporting };
}

function recordingPools(isSeparate: boolean): Readonly<Record<"impression" | "click", Pool>> {
  const poolOf = (name: PoolName, kinds: string): Pool => ({
    name,
    requests: `10,000 ${kinds} requests of this publisher`,
  });
  if (isSeparate) {
    return { impression: poolOf("recording", "impression"), click: poolOf("clicks", "click") };
  }
  const shared = poolOf("recording", "impression and click");
  return { impression: shared, click: shared };
}
