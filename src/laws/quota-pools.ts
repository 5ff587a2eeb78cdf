/** Sorts the requests of a run by the quota that they count against, for the laws of the limits. */

import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { documentedLimits, type LimitClass, operations } from "../spec/operations.ts";
import { type LawContext, steadyReadingsOf } from "./law.ts";
import type { QuotaRequest } from "./quotas.ts";
import {
  callerOf,
  codeOf,
  creditOf,
  keyOf,
  operationOf,
  subjectOf,
  undisturbedExchanges,
} from "./read-trace.ts";
import type { TracedExchange } from "./trace.ts";

/** One quota, and the requests that count against it, in order. */
export interface Pool {
  readonly size: number;
  readonly arrivals: readonly QuotaRequest[];
}

interface OpenPool extends Pool {
  readonly arrivals: QuotaRequest[];
  /** Whether its use is uncertain from here on. */
  isLost: boolean;
}

/** A pool ends at the first request that may or may not have counted against it. */
export function poolsInRun(played: LawContext): readonly Pool[] {
  return played.memoize("pools", () => {
    const readings = steadyReadingsOf(played);
    const pools = new Map<string, OpenPool>();
    const owners = new Map<string, string>();
    for (const [at, exchange] of undisturbedExchanges(played).entries()) {
      const operation = operationOf(exchange);
      if (operation === undefined) continue;
      const key = keyOf(exchange);
      const caller = callerOf(played.trace, key, at);
      // Keys are checked before the limit.
      if (caller === undefined && isUnauthorized(exchange, readings)) continue;
      // An unknown valid key: from here on no quota's use is certain.
      if (caller === undefined) break;
      const made = operation === "impression" ? creditOf(exchange, "impression") : undefined;
      if (made !== undefined) owners.set(made.id, subjectOf(exchange, operation, owners) ?? caller);
      const { limit } = operations[operation];
      if (limit === "reporting") {
        const counts = operation === "stats" || readings["limit.reporting-endpoints"] === "all-get";
        if (counts) recordArrival(poolOf(pools, `key ${key}`, limit), exchange, readings);
        continue;
      }
      const apart = operation === "click" && readings["limit.recording-pool"] === "separate";
      const name = (publisher: string): string => `${apart ? "clicks" : "all"} of ${publisher}`;
      const named = subjectOf(exchange, operation, owners);
      const asked = payersOf(exchange, caller, named, readings).map((payer) =>
        poolOf(pools, name(payer), limit),
      );
      const [pool] = asked;
      if (pool !== undefined && asked.length === 1) recordArrival(pool, exchange, readings);
      // It counted against one of them, but which one is unknown.
      else for (const one of asked) one.isLost = true;
    }
    return [...pools.values()];
  });
}

function isUnauthorized({ status }: TracedExchange, readings: Assumptions): boolean {
  return status === (readings["auth.failure"] === "403" ? 403 : 401);
}

/** The publishers whose recording quota a request may have counted against. `named`: the one that it is about. */
function payersOf(
  exchange: TracedExchange,
  caller: string,
  named: string | undefined,
  readings: Assumptions,
): readonly string[] {
  if (readings["auth.key-scope"] === "publisher") return [caller];
  if (exchange.about !== undefined) return [exchange.about];
  if (named === undefined || named === caller) return [caller];
  // A failed request counts against the caller if the service couldn't read whom it is about.
  return exchange.status === 200 ? [named] : [caller, named];
}

function poolOf(pools: Map<string, OpenPool>, name: string, limit: LimitClass): OpenPool {
  const known = pools.get(name);
  if (known !== undefined) return known;
  const pool = { size: documentedLimits[limit].requests, arrivals: [], isLost: false };
  pools.set(name, pool);
  return pool;
}

function recordArrival(pool: OpenPool, exchange: TracedExchange, readings: Assumptions): void {
  if (pool.isLost) return;
  const charge = exchange.status === 200 ? "spent" : chargeOfRefusal(exchange, readings);
  const { atMs, method, path, status, remaining } = exchange;
  pool.arrivals.push({
    atMs,
    charge,
    remaining,
    what: () => `${method} ${path} at ${new Date(atMs).toISOString()} got ${status}`,
  });
}

function chargeOfRefusal(exchange: TracedExchange, readings: Assumptions): QuotaRequest["charge"] {
  const exceeded = readings["limit.exceeded"];
  if (exchange.status !== Number(exceeded)) return "spent";
  // Only the limit refuses with 429 or 503.
  if (exceeded !== "403" || exchange.retryAfter !== undefined) return "limited";
  const code = codeOf(exchange);
  if (code === undefined) return "unclear";
  return code === "rate_limited" ? "limited" : "spent";
}
