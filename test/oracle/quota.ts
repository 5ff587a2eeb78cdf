/** The quota pool of a request (spec §8), and what the headers of the answer must say about it. */

import type { ApiResponse } from "../../src/spec/messages.ts";
import { type OperationName, operations } from "./calls.ts";
import { expectEqual } from "./check.ts";
import type { Choices } from "./choices.ts";
import { roomAfter, waitFor } from "./counters.ts";
import type { Account, Facts } from "./facts.ts";

/** A pool of quota. If `key` is undefined, no request counts against it. */
export interface Pool {
  readonly name: "recording" | "clicks" | "reporting";
  readonly size: number;
  readonly key: string | undefined;
}

const sizes = { recording: 10_000, reporting: 60 };

/** A full pool, for an answer that concerns nobody's quota. */
export function unchargedPool(operation: OperationName, choices: Choices): Pool {
  const { limit } = operations[operation];
  const apart = operation === "click" && choices["limit.recording-pool"] === "separate";
  return { name: apart ? "clicks" : limit, size: sizes[limit], key: undefined };
}

/** Recording quota belongs to the publisher of the event, reporting quota to the caller's key. */
export function poolOf(
  operation: OperationName,
  caller: Account,
  subject: Account,
  choices: Choices,
): Pool {
  const pool = unchargedPool(operation, choices);
  if (pool.name !== "reporting") return { ...pool, key: `${pool.name} ${subject.id}` };
  const limited = operation === "stats" || choices["limit.reporting-endpoints"] === "all-get";
  return limited ? { ...pool, key: `reporting ${caller.id} key ${caller.keys}` } : pool;
}

/** The pool in an answer that no operation gave: that of the key that was sent, if it is valid. */
export function poolWithoutOperation(caller: Account | undefined, choices: Choices): Pool {
  if (caller === undefined) return unchargedPool("stats", choices);
  return poolOf("stats", caller, caller, choices);
}

export interface Quotas {
  room(pool: Pool, atMs: number): number;
  spend(pool: Pool, atMs: number): void;
  /** The exact wait until a request is admitted. */
  retryAfterMs(pool: Pool, atMs: number): number;
  /** Compares the headers about the limit with the quota that is left. */
  checkHeaders(response: ApiResponse, pool: Pool, atMs: number): void;
}

export function createQuotas(choices: Choices, facts: Facts): Quotas {
  const algorithm = choices["limit.algorithm"];
  const admitted = ({ key }: Pool): number[] => {
    if (key === undefined) return [];
    facts.admitted[key] ??= [];
    return facts.admitted[key];
  };
  const left = (pool: Pool, atMs: number): number =>
    roomAfter(algorithm, admitted(pool), pool.size, atMs);

  return {
    room: left,
    spend(pool, atMs) {
      if (pool.key !== undefined) admitted(pool).push(atMs);
    },
    retryAfterMs: (pool, atMs) => waitFor(algorithm, admitted(pool), pool.size, atMs),
    checkHeaders({ headers }, pool, atMs) {
      const remaining = left(pool, atMs);
      expectEqual("X-RateLimit-Remaining", headers["x-ratelimit-remaining"], String(remaining));
    },
  };
}
