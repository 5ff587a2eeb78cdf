/** Request limits (spec §8): picks the bucket of a request, and admits or refuses it. */

import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import {
  documentedLimits,
  type EventKind,
  isLimited,
  type OperationId,
} from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import { type Bucket, createBucketKeeper } from "../world/accounts/buckets.ts";
import type { Decision, Rate } from "../world/limits/algorithm.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

/** The name of a pool of requests that are counted together. */
export type PoolName = "recording" | "clicks" | "reporting";

/** The state of the limit that every response reports. */
export interface QuotaStatus {
  readonly remaining: number;
}

export interface Quota {
  /** Decides on a request of `account`, and counts it if it is admitted. */
  admit(operation: OperationId, account: Account, nowMs: number): Decision & QuotaStatus;
  /** The refusal of a request over the limit. */
  exceeded(operation: OperationId): Refusal;
  /**
   * The present status. Spends nothing. Without an operation it is the status of the reporting limit; without an account,
   * of a full quota.
   */
  quotaStatus(
    operation: OperationId | undefined,
    account: Account | undefined,
    nowMs: number,
  ): QuotaStatus;
  /** What is left of each limit that counts the account's requests. Spends nothing. */
  left(account: Account, nowMs: number): readonly QuotaLeft[];
}

/** What is left of one limit. */
export interface QuotaLeft {
  readonly name: PoolName;
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
}

/** Requests that are counted together. */
interface Pool {
  readonly name: PoolName;
  readonly rate: Rate;
  /** Undefined if these requests are never counted. */
  readonly bucketOf: ((account: Account) => Bucket) | undefined;
  readonly exceeded: Refusal;
  /** The status of a full quota. */
  readonly unspent: QuotaStatus;
}

export function createQuota(assumptions: Assumptions): Quota {
  const { algorithm } = createBucketKeeper(assumptions);
  const pools = poolsOf(assumptions);

  function quotaStatus(pool: Pool, account: Account | undefined, nowMs: number): QuotaStatus {
    const bucket = account && pool.bucketOf?.(account);
    if (bucket === undefined) return pool.unspent;
    return { remaining: algorithm.remaining(bucket, pool.rate, nowMs) };
  }

  return {
    admit(operation, account, nowMs) {
      // Nearly all requests are impressions, and V8 looks up a fixed member faster than a variable one.
      const pool = operation === "impression" ? pools.impression : pools[operation];
      return pool.bucketOf === undefined
        ? { ...pool.unspent, admitted: true, retryAfterMs: 0 }
        : algorithm.admit(pool.bucketOf(account), pool.rate, nowMs);
    },
    exceeded: (operation) => pools[operation].exceeded,
    quotaStatus: (operation, account, nowMs) =>
      quotaStatus(pools[operation ?? "stats"], account, nowMs),
    left(account, nowMs) {
      const counted = [pools.impression, pools.click, pools.stats];
      return Array.from(new Set(counted), (pool) => {
        const { remaining } = quotaStatus(pool, account, nowMs);
        return { name: pool.name, limit: pool.rate.requests, remaining };
      });
    },
  };
}

function poolsOf(assumptions: Assumptions): Readonly<Record<OperationId, Pool>> {
  const reporting = reportingPools[assumptions["limit.reporting-endpoints"]];
  const poolOf = (id: OperationId): Pool => (isLimited(id, assumptions) ? reporting : uncounted);
  return {
    ...recordingPools[assumptions["limit.recording-pool"]],
    stats: poolOf("stats"),
    surfaces: poolOf("surfaces"),
    payouts: poolOf("payouts"),
  };
}

/** `exceeded` says how many of which requests are allowed. */
function createPool(name: PoolName, exceeded: string, bucketOf: Pool["bucketOf"]): Pool {
  const limit = name === "reporting" ? "reporting" : "recording";
  const rate = documentedLimits[limit];
  return {
    name,
    rate,
    bucketOf,
    unspent: { remaining: rate.requests },
    exceeded: refused(
      { code: "rate_limited", detail: `More than ${exceeded} in a minute.` },
      limit === "reporting" ? "limit.reporting-endpoints" : "limit.recording-pool",
    ),
  };
}

const recording = createPool(
  "recording",
  "10,000 impression and click requests of this publisher",
  (account) => account.recordingBucket,
);
const recordingPools = {
  shared: { impression: recording, click: recording },
  separate: {
    impression: createPool(
      "recording",
      "10,000 impression requests of this publisher",
      (account) => account.recordingBucket,
    ),
    // Under this choice every account has a `clickBucket`.
    click: createPool(
      "clicks",
      "10,000 click requests of this publisher",
      (account) => account.clickBucket ?? account.recordingBucket,
    ),
  },
} satisfies Record<Choice<"limit.recording-pool">, Record<EventKind, Pool>>;

const reporting = createPool(
  "reporting",
  "60 stats and reporting requests with this API key",
  (account) => account.reportingBucket,
);
const reportingPools = {
  "all-get": reporting,
  "stats-only": createPool(
    "reporting",
    "60 stats requests with this API key",
    (account) => account.reportingBucket,
  ),
} satisfies Record<Choice<"limit.reporting-endpoints">, Pool>;
const uncounted: Pool = { ...reporting, bucketOf: undefined };
