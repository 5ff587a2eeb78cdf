/** Request limits (spec §8): picks the bucket of a request, and admits or refuses it. */

import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import {
  documentedLimits,
  type EventKind,
  isLimited,
  type OperationId,
} from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Pool as PoolName } from "../world/accounts/state.ts";
import { algorithmOf, type Bucket, type Rate } from "../world/limits/algorithms.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

/** The state of the limit that every response reports. */
export interface QuotaStatus {
  readonly remaining: number;
}

/** The decision on one request. `retryAfterMs` is the exact wait until a request is admitted again; 0 if this one was. */
export interface Decision extends QuotaStatus {
  readonly admitted: boolean;
  readonly retryAfterMs: number;
}

export interface Quota {
  /** Decides on a request of `account`, and counts it if it is admitted. */
  admit(operation: OperationId, account: Account, nowMs: number): Decision;
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
  const algorithm = algorithmOf(assumptions);
  const pools = poolsOf(assumptions);

  function quotaStatus(pool: Pool, account: Account | undefined, nowMs: number): QuotaStatus {
    const bucket = account && pool.bucketOf?.(account);
    if (bucket === undefined) return pool.unspent;
    return { remaining: algorithm.remaining(bucket, pool.rate, nowMs) };
  }

  return {
    admit(operation, account, nowMs) {
      const { bucketOf, rate, unspent } = pools[operation];
      if (bucketOf === undefined) return { ...unspent, admitted: true, retryAfterMs: 0 };
      const bucket = bucketOf(account);
      const remaining = algorithm.remaining(bucket, rate, nowMs);
      if (remaining === 0) {
        const retryAfterMs = algorithm.waitMs(bucket, rate, nowMs);
        return { admitted: false, remaining, retryAfterMs };
      }
      algorithm.spend(bucket, rate, nowMs);
      return { admitted: true, remaining: remaining - 1, retryAfterMs: 0 };
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
  (account) => account.buckets.recording,
);
const recordingPools = {
  shared: { impression: recording, click: recording },
  separate: {
    impression: createPool(
      "recording",
      "10,000 impression requests of this publisher",
      (account) => account.buckets.recording,
    ),
    click: createPool(
      "clicks",
      "10,000 click requests of this publisher",
      (account) => account.buckets.clicks,
    ),
  },
} satisfies Record<Choice<"limit.recording-pool">, Record<EventKind, Pool>>;

const reporting = createPool(
  "reporting",
  "60 stats and reporting requests with this API key",
  (account) => account.buckets.reporting,
);
const reportingPools = {
  "all-get": reporting,
  "stats-only": createPool(
    "reporting",
    "60 stats requests with this API key",
    (account) => account.buckets.reporting,
  ),
} satisfies Record<Choice<"limit.reporting-endpoints">, Pool>;
const uncounted: Pool = { ...reporting, bucketOf: undefined };
