/** Which bucket a request counts against, whether it is admitted, and what its response says of the limit (spec §8). */

import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import { documentedLimits, isLimited, type OperationId } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import { type Bucket, createBucketKeeper } from "../world/accounts/buckets.ts";
import type { Decision, Rate } from "../world/limits/algorithm.ts";
import { type LimitHeaders, limitHeaders, type PoolName } from "./limit-headers.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

/** What every response says of the limit. */
export interface QuotaStatus {
  readonly remaining: number;
  /** The headers beyond X-RateLimit-Remaining, where there are any. */
  readonly headers?: LimitHeaders;
}

export interface Quota {
  /** Decides on one request of `account` and counts it if it is admitted. */
  admit(operation: OperationId, account: Account, nowMs: number): Decision & QuotaStatus;
  /**
   * Gives `account` back what a request spent that was admitted at `nowMs` and is refused all the same.
   *
   * @returns how it stands then; undefined where nothing is given back.
   */
  refund(operation: OperationId, account: Account, nowMs: number): QuotaStatus | undefined;
  /** The refusal of a request over the limit. */
  exceeded(operation: OperationId): Refusal;
  /**
   * How it stands now; spends nothing. Without an operation it is the reporting limit, which is the key's. Without an
   * account nothing is spent.
   */
  quotaStatus(
    operation: OperationId | undefined,
    account: Account | undefined,
    nowMs: number,
  ): QuotaStatus;
}

/** Requests that are counted together. */
interface Pool {
  readonly name: PoolName;
  readonly rate: Rate;
  /** Undefined: they aren't counted, and never refused. */
  readonly bucketOf: ((account: Account) => Bucket) | undefined;
  readonly exceeded: Refusal;
  /** Where nothing is spent, and X-RateLimit-Remaining is the only header. */
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
      // Nearly all are impressions; where names vary, an engine looks members up slowly.
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

/** `exceeded`: of what there may be no more, how many, and whose. */
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
      // Whether refused requests spent what is used up.
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
    // Where clicks are counted apart, every account has the bucket.
    click: createPool(
      "clicks",
      "10,000 click requests of this publisher",
      (account) => account.clickBucket ?? account.recordingBucket,
    ),
  },
} satisfies Record<Choice<"limit.recording-pool">, Record<"impression" | "click", Pool>>;

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
