/** The quota pool of a request (spec §8), and what the headers of the answer must say about it. */

import { type Algorithm, MINUTE_MS, roomAfter } from "../../src/laws/quotas.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { type OperationName, operations } from "./calls.ts";
import { expectEqual } from "./check.ts";
import type { Account, Facts } from "./facts.ts";
import type { Readings } from "./readings.ts";

/** A pool of quota. If `key` is undefined, no request counts against it. */
export interface Pool {
  readonly name: "recording" | "clicks" | "reporting";
  readonly size: number;
  readonly key: string | undefined;
}

const sizes = { recording: 10_000, reporting: 60 };

/** A full pool, for an answer that concerns nobody's quota. */
export function unchargedPool(operation: OperationName | undefined, readings: Readings): Pool {
  const limit = operation === undefined ? "reporting" : operations[operation].limit;
  const apart = operation === "click" && readings["limit.recording-pool"] === "separate";
  return { name: apart ? "clicks" : limit, size: sizes[limit], key: undefined };
}

/** Recording quota belongs to the publisher of the event, reporting quota to the caller's key. */
export function poolOf(
  operation: OperationName,
  caller: Account,
  subject: Account,
  readings: Readings,
): Pool {
  const pool = unchargedPool(operation, readings);
  if (pool.name !== "reporting") return { ...pool, key: `${pool.name} ${subject.id}` };
  const limited = operation === "stats" || readings["limit.reporting-endpoints"] === "all-get";
  return limited ? { ...pool, key: `reporting ${caller.id} key ${caller.keys}` } : pool;
}

/** The pool in an answer that no operation gave: that of the key that was sent, if it is valid. */
export function poolWithoutOperation(
  operation: OperationName | undefined,
  caller: Account | undefined,
  readings: Readings,
): Pool {
  if (caller === undefined) return unchargedPool(operation, readings);
  return poolOf(operation ?? "stats", caller, caller, readings);
}

export interface Quotas {
  room(pool: Pool, atMs: number): number;
  spend(pool: Pool, atMs: number): void;
  /** Takes back the last request. */
  refund(pool: Pool): void;
  /** The exact wait until a request is admitted. */
  retryAfterMs(pool: Pool, atMs: number): number;
  /** Compares the headers about the limit with the quota that is left. */
  checkHeaders(response: ApiResponse, pool: Pool, atMs: number): void;
}

export function createQuotas(readings: Readings, facts: Facts): Quotas {
  const algorithm = readings["limit.algorithm"];
  const admitted = ({ key }: Pool): number[] => {
    if (key === undefined) return [];
    facts.admitted[key] ??= [];
    return facts.admitted[key];
  };
  const left = (pool: Pool, atMs: number): number =>
    roomAfter(algorithm, admitted(pool), pool.size, atMs);
  const wait = (pool: Pool, atMs: number, wanted: number): number =>
    waitFor(algorithm, admitted(pool), pool.size, atMs, wanted);

  return {
    room: left,
    spend(pool, atMs) {
      if (pool.key !== undefined) admitted(pool).push(atMs);
    },
    refund(pool) {
      if (pool.key !== undefined) admitted(pool).pop();
    },
    retryAfterMs: (pool, atMs) => wait(pool, atMs, 1),
    checkHeaders({ headers }, pool, atMs) {
      const remaining = left(pool, atMs);
      expectEqual("X-RateLimit-Remaining", headers["x-ratelimit-remaining"], String(remaining));
      const choice = readings["limit.headers"];
      if (choice === "remaining") return;
      const restMs = wait(pool, atMs, pool.size);
      if (choice === "limit-reset") {
        expectEqual("X-RateLimit-Limit", headers["x-ratelimit-limit"], String(pool.size));
        const resetsAt = Math.ceil((atMs + restMs) / 1000);
        expectEqual("X-RateLimit-Reset", headers["x-ratelimit-reset"], String(resetsAt));
        return;
      }
      const policy = `"${pool.name}";q=${pool.size};w=${MINUTE_MS / 1000}`;
      expectEqual("RateLimit-Policy", headers["ratelimit-policy"], policy);
      const state = `"${pool.name}";r=${remaining};t=${Math.ceil(restMs / 1000)}`;
      expectEqual("RateLimit", headers.ratelimit, state);
    },
  };
}

/** The headers about the limit; the first is in every answer. */
export const limitHeaders: Readonly<Record<Readings["limit.headers"], readonly string[]>> = {
  remaining: ["x-ratelimit-remaining"],
  "limit-reset": ["x-ratelimit-remaining", "x-ratelimit-limit", "x-ratelimit-reset"],
  ietf: ["x-ratelimit-remaining", "ratelimit-policy", "ratelimit"],
};

/** The shortest wait in whole ms after which `wanted` requests fit, if no others come. */
export function waitFor(
  algorithm: Algorithm,
  admitted: readonly number[],
  size: number,
  atMs: number,
  wanted: number,
): number {
  // An admitted request counts for at most two minutes.
  let [low, high] = [0, 2 * MINUTE_MS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (roomAfter(algorithm, admitted, size, atMs + middle) >= wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
