/** Which quota each request of a run asked for, and what came of it: what the limits' laws are held against. */

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

/** One quota, and the requests that asked for it, in order. */
export interface Pool {
  readonly size: number;
  readonly arrivals: readonly QuotaRequest[];
}

interface OpenPool extends Pool {
  readonly arrivals: QuotaRequest[];
  /** Whether it isn't known any more what was spent of it. */
  isLost: boolean;
}

/** As far as it is known which quota a request counted against: from the first doubt on a quota is left alone. */
export function poolsInRun(played: LawContext): readonly Pool[] {
  return played.memoize("pools", () => {
    const readings = steadyReadingsOf(played);
    const pools = new Map<string, OpenPool>();
    const owners = new Map<string, string>();
    for (const [at, seen] of undisturbedExchanges(played).entries()) {
      const operation = operationOf(seen, readings);
      if (operation === undefined) continue;
      const key = keyOf(seen, readings);
      const caller = callerOf(played.trace, key, at);
      // Keys are looked at before the limit.
      if (caller === undefined && isUnauthorized(seen, readings)) continue;
      // A key that is valid and that nobody told of: what is spent of whose quota is lost from here on.
      if (caller === undefined) break;
      const made = operation === "impression" ? creditOf(seen, "impression") : undefined;
      if (made !== undefined) owners.set(made.id, subjectOf(seen, operation, owners) ?? caller);
      const { limit } = operations[operation];
      if (limit === "reporting") {
        const counts = operation === "stats" || readings["limit.reporting-endpoints"] === "all-get";
        if (counts) recordArrival(poolOf(pools, `key ${key}`, limit), seen, readings);
        continue;
      }
      const apart = operation === "click" && readings["limit.recording-pool"] === "separate";
      const name = (publisher: string): string => `${apart ? "clicks" : "all"} of ${publisher}`;
      const named = subjectOf(seen, operation, owners);
      const asked = payersOf(seen, caller, named, readings).map((payer) =>
        poolOf(pools, name(payer), limit),
      );
      const [pool] = asked;
      if (pool !== undefined && asked.length === 1) recordArrival(pool, seen, readings);
      // It counted against the one's or the other's.
      else for (const one of asked) one.isLost = true;
    }
    return [...pools.values()];
  });
}

function isUnauthorized({ status }: TracedExchange, readings: Assumptions): boolean {
  return status === (readings["auth.failure"] === "403" ? 403 : 401);
}

/** Whose recording quota a request may have counted against. `named`: whom it is about. */
function payersOf(
  seen: TracedExchange,
  caller: string,
  named: string | undefined,
  readings: Assumptions,
): readonly string[] {
  if (readings["auth.key-scope"] === "publisher") return [caller];
  if (seen.about !== undefined) return [seen.about];
  if (named === undefined || named === caller) return [caller];
  // A request that can't be read for another reason counts against the caller.
  return seen.status === 200 ? [named] : [caller, named];
}

function poolOf(pools: Map<string, OpenPool>, name: string, limit: LimitClass): OpenPool {
  const known = pools.get(name);
  if (known !== undefined) return known;
  const pool = { size: documentedLimits[limit].requests, arrivals: [], isLost: false };
  pools.set(name, pool);
  return pool;
}

function recordArrival(pool: OpenPool, seen: TracedExchange, readings: Assumptions): void {
  if (pool.isLost) return;
  const otherwise = readings["limit.rejected-requests"] === "free" ? "free" : "spent";
  const came = seen.status === 200 ? "spent" : chargeOfRefusal(seen, readings, otherwise);
  const { atMs, method, path, status, remaining } = seen;
  pool.arrivals.push({
    atMs,
    came,
    otherwise,
    remaining,
    what: () => `${method} ${path} at ${new Date(atMs).toISOString()} got ${status}`,
  });
}

function chargeOfRefusal(
  seen: TracedExchange,
  readings: Assumptions,
  otherwise: QuotaRequest["otherwise"],
): QuotaRequest["came"] {
  const exceeded = readings["limit.exceeded"];
  if (seen.status !== Number(exceeded)) return otherwise;
  // Nothing else is refused with 429 or 503.
  if (exceeded !== "403" || seen.retryAfter !== undefined) return "limited";
  const code = codeOf(seen);
  if (code === undefined) return "unclear";
  return code === "rate_limited" ? "limited" : otherwise;
}
