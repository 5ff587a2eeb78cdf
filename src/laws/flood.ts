/** Uses up a key's quota in a copy of the world, and notes what most laws of the limits need to know. */

import { MINUTE_MS } from "../base/duration.ts";
import { documentedLimits } from "../spec/operations.ts";
import type { ClientExchange } from "./client-exchange.ts";
import { readAs } from "./isolation-laws.ts";
import { inconclusive, type LawContext } from "./law.ts";
import type { QuotaRequest } from "./quotas.ts";
import { ask, copyOf, freshKey, stateOf, type WorldCopy, waitIn } from "./world-copy.ts";

/** How many requests the flooded quota admits. */
export const REPORTING: number = documentedLimits.reporting.requests;

interface Flood {
  readonly arrivals: readonly QuotaRequest[];
  /** The first request over the limit. */
  readonly refused: ClientExchange;
  /** The same request, repeated at once. */
  readonly repeated: ClientExchange;
  /** The state before and after the repeated request. */
  readonly stateBefore: string;
  readonly stateAfter: string;
  /** Remaining of another key's first request at that time. */
  readonly otherRemaining: string | undefined;
  /** What other publishers read at that time, and before the quota was used up. */
  readonly readsDuring: readonly string[];
  readonly readsBefore: readonly string[];
  /** How long the first refusal says to wait; undefined if it doesn't say. */
  readonly waitMs: number | undefined;
  /** Requests a second before the end of that wait, and at its end. */
  readonly early: ClientExchange | undefined;
  readonly due: ClientExchange | undefined;
}

/** More than any algorithm admits in the time that passes here. */
const MAX_SENT = 90;
const PAUSE_MS = 10_250;
const SECOND_MS = 1000;

export function floodOf(played: LawContext): Flood {
  return played.memoize("flood", () => {
    const copy = copyOf(played);
    const [probe, other] = copy.probes;
    const arrivals: QuotaRequest[] = [];
    const send = (): ClientExchange => {
      const answer = ask(copy, probe, "stats");
      arrivals.push(arrivalOf(answer));
      return answer;
    };
    startMinute(played, copy);
    freshKey(copy, probe);
    for (let sent = 0; sent < REPORTING / 2; sent += 1) send();
    waitIn(copy, PAUSE_MS);
    const others = [other, ...copy.members].slice(0, Math.max(1, played.sampleSize - 3));
    const shown = (): string[] => others.map((member) => readAs(copy, member));
    const readsBefore = shown();
    let refused = send();
    while (refused.status !== 429 && arrivals.length < MAX_SENT) refused = send();
    const readsDuring = shown();
    const stateBefore = stateOf(copy.sim, "with-quotas");
    const repeated = send();
    const stateAfter = stateOf(copy.sim, "with-quotas");
    freshKey(copy, other);
    const { "x-ratelimit-remaining": otherRemaining } = ask(copy, other, "stats").headers;
    const waitMs = waitOf(refused, copy.sim.clock.now());
    const later =
      waitMs === undefined || waitMs <= 0 ? undefined : retryAroundWait(copy, waitMs, send);
    const at = { stateBefore, stateAfter, otherRemaining, readsDuring, readsBefore, waitMs };
    return { arrivals, refused, repeated, ...at, early: later?.early, due: later?.due };
  });
}

/** Waits for a new minute, and for an instant in it that leaves time for the pause. The instant varies with the run. */
function startMinute(played: LawContext, copy: WorldCopy): void {
  const sent = played.gap === undefined ? played.trace.total : 0;
  const intoMs = (sent * 7919) % (MINUTE_MS - PAUSE_MS - SECOND_MS);
  waitIn(copy, MINUTE_MS - (copy.sim.clock.now() % MINUTE_MS) + intoMs);
}

/** Sends a second too early, and in time. */
function retryAroundWait(
  copy: WorldCopy,
  waitMs: number,
  send: () => ClientExchange,
): { readonly early: ClientExchange; readonly due: ClientExchange } {
  const before = Math.max(0, waitMs - SECOND_MS);
  if (before > 0) waitIn(copy, before);
  const early = send();
  waitIn(copy, waitMs - before);
  return { early, due: send() };
}

/** In a copy the limit refuses with 429, and nothing else does. */
function arrivalOf({ status, headers, outcome, atMs }: ClientExchange): QuotaRequest {
  if (status !== 200 && status !== 429)
    inconclusive(`stats was answered with ${status || outcome}`);
  const was = status === 429 ? "refused" : "admitted";
  return {
    atMs,
    charge: status === 429 ? "limited" : "spent",
    remaining: headers["x-ratelimit-remaining"],
    what: () => `stats at ${new Date(atMs).toISOString()} was ${was}`,
  };
}

/** Milliseconds from now. Undefined without a Retry-After, NaN if it is neither seconds nor a date. */
function waitOf({ headers }: ClientExchange, nowMs: number): number | undefined {
  const hint = headers["retry-after"];
  if (hint === undefined) return undefined;
  return /^\d+$/.test(hint) ? Number(hint) * SECOND_MS : Date.parse(hint) - nowMs;
}
