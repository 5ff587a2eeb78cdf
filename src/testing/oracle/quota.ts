/** Which pool a request counts against (spec §8), and what every answer's headers say of it. */

import { type Algorithm, MINUTE_MS, roomAfter } from "../../laws/quotas.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { type OperationName, operations } from "./calls.ts";
import { expectEqual } from "./check.ts";
import type { Account, Facts } from "./facts.ts";
import type { Readings } from "./readings.ts";

/** A quota, or one that nobody's requests count against: then `key` is undefined. */
export interface Pool {
  readonly name: "recording" | "clicks" | "reporting";
  readonly size: number;
  readonly key: string | undefined;
}

const sizes = { recording: 10_000, reporting: 60 };

/** What an answer says where no quota is known: nothing of it is spent. */
export function unchargedPool(operation: OperationName | undefined, readings: Readings): Pool {
  const limit = operation === undefined ? "reporting" : operations[operation].limit;
  const apart = operation === "click" && readings["limit.recording-pool"] === "separate";
  return { name: apart ? "clicks" : limit, size: sizes[limit], key: undefined };
}

/** Recording belongs to the publisher that is recorded for, reporting to the caller's key. */
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

/** What an answer tells of that no operation made: the quota of the key that was sent, where it is one. */
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
  /** Takes back what was spent last. */
  refund(pool: Pool): void;
  /** The exact wait until one is admitted. */
  retryAfterMs(pool: Pool, atMs: number): number;
  /** Holds the headers about the limit against what is left. */
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
      const reading = readings["limit.headers"];
      if (reading === "remaining") return;
      const restMs = wait(pool, atMs, pool.size);
      if (reading === "limit-reset") {
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

/** The names of the headers about the limit, that of every answer first. */
export const limitHeaders: Readonly<Record<Readings["limit.headers"], readonly string[]>> = {
  remaining: ["x-ratelimit-remaining"],
  "limit-reset": ["x-ratelimit-remaining", "x-ratelimit-limit", "x-ratelimit-reset"],
  ietf: ["x-ratelimit-remaining", "ratelimit-policy", "ratelimit"],
};

/** The least whole wait in ms after which there is room for `wanted`, if nothing else comes. */
export function waitFor(
  algorithm: Algorithm,
  admitted: readonly number[],
  size: number,
  atMs: number,
  wanted: number,
): number {
  // Whatever was admitted weighs for two minutes at most.
  let [low, high] = [0, 2 * MINUTE_MS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (roomAfter(algorithm, admitted, size, atMs + middle) >= wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
