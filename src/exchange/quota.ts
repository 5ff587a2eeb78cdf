/** Request limits (spec §8): picks the bucket of a request, admits or refuses it, and writes the limit headers. */

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
import { type LimitHeaders, limitHeaders, type PoolName } from "./limit-headers.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

/** The state of the limit that every response reports. */
export interface QuotaStatus {
  readonly remaining: number;
  /** The limit headers besides X-RateLimit-Remaining, if there are any. */
  readonly headers?: LimitHeaders;
}

export interface Quota {
  /** Decides on a request of `account`, and counts it if it is admitted. */
  admit(operation: OperationId, account: Account, nowMs: number): Decision & QuotaStatus;
  /**
   * Gives back what a request spent that was admitted at `nowMs` but refused later.
   *
   * @returns the new status; undefined if refused requests spend quota.
   */
  refund(operation: OperationId, account: Account, nowMs: number): QuotaStatus | undefined;
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
  /** The status of a full quota, without additional headers. */
  readonly unspent: QuotaStatus;
}

export function createQuota(assumptions: Assumptions): Quota {
  const { algorithm } = createBucketKeeper(assumptions);
  const pools = poolsOf(assumptions);
  const write = limitHeaders[assumptions["limit.headers"]];

  function quotaStatus(pool: Pool, account: Account | undefined, nowMs: number): QuotaStatus {
    const { name, rate } = pool;
    const bucket = account && pool.bucketOf?.(account);
    const spent =
      bucket === undefined ? pool.unspent : { remaining: algorithm.remaining(bucket, rate, nowMs) };
    if (write === undefined) return spent;
    const { remaining } = spent;
    const untilFullMs = bucket === undefined ? 0 : algorithm.untilFullMs(bucket, rate, nowMs);
    return { remaining, headers: write({ pool: name, rate, remaining, untilFullMs, nowMs }) };
  }

  const givesBack = freesRefused[assumptions["limit.rejected-requests"]];
  return {
    admit(operation, account, nowMs) {
      // Nearly all requests are impressions, and V8 looks up a fixed member faster than a variable one.
      const pool = operation === "impression" ? pools.impression : pools[operation];
      const decision =
        pool.bucketOf === undefined
          ? { ...pool.unspent, admitted: true, retryAfterMs: 0 }
          : algorithm.admit(pool.bucketOf(account), pool.rate, nowMs);
      return write === undefined ? decision : { ...decision, ...quotaStatus(pool, account, nowMs) };
    },
    refund(operation, account, nowMs) {
      const pool = pools[operation];
      if (!givesBack || pool.bucketOf === undefined) return undefined;
      algorithm.refund(pool.bucketOf(account), pool.rate, nowMs);
      return quotaStatus(pool, account, nowMs);
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

const freesRefused = { spend: false, free: true } satisfies Record<
  Choice<"limit.rejected-requests">,
  boolean
>;

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
      // Refused requests may have used up the quota.
      "limit.rejected-requests",
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
