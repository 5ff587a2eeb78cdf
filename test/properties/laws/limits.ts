/** The laws of the request limits (L1 to L8), one function each. At full size: limit-algorithms.test.ts. */

import type { ApiResponse, Publisher, Simulator } from "../../../src/index.ts";
import { operations } from "../../../src/testing/oracle/calls.ts";
import { ask } from "../asking.ts";
import { isElsewhere, legible, pathOf, type RequestStep, requestSteps } from "../reading.ts";
import { type Run, require, stateWithBucketsOf } from "../run.ts";

const LIMITS = { recording: 10_000, reporting: 60 };
const MINUTE_MS = 60_000;

/** One quota, and what came of each request that it was asked for, in order. */
interface Arrivals {
  readonly limit: number;
  readonly arrivals: readonly Arrival[];
}

interface Arrival {
  readonly atMs: number;
  readonly refused: boolean;
  /** Whether it spent: a request that was admitted, and not refused for another reason where that is free. */
  readonly spent: boolean;
  readonly remaining: number;
  readonly what: string;
}

/**
 * Fixed windows: a window's arrivals are admitted up to the limit, exactly the first. A window is a minute of the clock,
 * or begins with the first request that is admitted after the last one ended.
 */
export function L1(run: Run): void {
  const beginOf = windowBegins[run.options.assumptions["limit.algorithm"]];
  if (beginOf === undefined) return;
  for (const { limit, arrivals } of pools(run)) {
    let begin = Number.NEGATIVE_INFINITY;
    let used = 0;
    for (const { atMs, refused, spent, what } of arrivals) {
      const current = beginOf(begin, atMs);
      if (current !== begin) used = 0;
      require("L1", refused === used >= limit, `${used} of ${limit} used: ${what}`);
      if (!spent) continue;
      begin = current;
      used += 1;
    }
  }
}

const windowBegins: Readonly<Record<string, (begin: number, atMs: number) => number>> = {
  "fixed-window": (_, atMs) => atMs - (atMs % MINUTE_MS),
  "fixed-from-first": (begin, atMs) => (atMs < begin + MINUTE_MS ? begin : atMs),
};

/** Sliding log: refused iff `limit` were admitted in (t-60 s, t]. Its estimate by counters: never more in a minute. */
export function L2(run: Run): void {
  const algorithm = run.options.assumptions["limit.algorithm"];
  if (algorithm !== "sliding-log" && algorithm !== "sliding-counter") return;
  for (const { limit, arrivals } of pools(run)) {
    const spent: number[] = [];
    for (const arrival of arrivals) {
      const { atMs, refused, what } = arrival;
      const isRecent = (at: number): boolean =>
        algorithm === "sliding-log" ? at > atMs - MINUTE_MS : at >= atMs - (atMs % MINUTE_MS);
      const recent = spent.filter(isRecent).length;
      const isFull = recent >= limit;
      const held = algorithm === "sliding-log" ? refused === isFull : refused || !isFull;
      require("L2", held, `${recent} of ${limit} in the last minute: ${what}`);
      if (arrival.spent) spent.push(atMs);
    }
  }
}

/** Token bucket: any interval d admits ≤ burst + ⌊d·rate⌋, and nothing is refused that this would let pass. */
export function L3(run: Run): void {
  const algorithm = run.options.assumptions["limit.algorithm"];
  if (algorithm !== "token-bucket") return;
  for (const { limit, arrivals } of pools(run)) {
    const spent: number[] = [];
    for (const { atMs, refused, spent: spends, what } of arrivals) {
      const isFull = spent.some((from, index) => {
        const admitted = spent.length - index + 1;
        return admitted > limit + Math.floor(((atMs - from) * limit) / MINUTE_MS);
      });
      require("L3", refused === isFull, `the interval is ${isFull ? "" : "not "}full: ${what}`);
      if (spends) spent.push(atMs);
    }
  }
}

/** Retry-After, where it is sent, is sound and tight: waiting so long admits, a second less doesn't. */
export function L4(run: Run): void {
  const [publisher] = run.publishers;
  const form = run.options.assumptions["limit.retry-after"];
  if (publisher === undefined || form === "absent") return;
  const sim = exhausted(run, publisher);
  const atMs = sim.clock.now();
  const hint = ask(sim, publisher, "stats").headers["retry-after"] ?? "none";
  const waitMs = /^\d+$/.test(hint) ? Number(hint) * 1000 : Date.parse(hint) - atMs;
  require("L4", waitMs > 0 && waitMs <= 2 * MINUTE_MS, `wait ${hint} at ${atMs}`);
  const early = sim.fork();
  early.clock.advance(Math.max(0, waitMs - 1000));
  require("L4", isRefused(ask(early, publisher, "stats")), `${hint}: a second less admits`);
  sim.clock.advance(waitMs);
  require("L4", !isRefused(ask(sim, publisher, "stats")), `${hint}: refused after waiting`);
}

/** Remaining falls by one per admitted request and never below 0. */
export function L5(run: Run): void {
  for (const { limit, arrivals } of pools(run)) {
    let before: Arrival | undefined;
    for (const arrival of arrivals) {
      const { atMs, refused, spent, remaining, what } = arrival;
      require("L5", remaining >= 0 && remaining <= limit - (spent ? 1 : 0), what);
      if (refused) require("L5", remaining === 0, what);
      // Between two instants quota may come back.
      if (before?.atMs === atMs) {
        const left = before.remaining - (spent ? 1 : 0);
        require("L5", remaining === left, `${left} are left, but: ${what}`);
      }
      before = arrival;
    }
  }
}

/** A request refused by the limit changes no state. */
export function L6(run: Run): void {
  const [publisher] = run.publishers;
  if (publisher === undefined) return;
  const sim = exhausted(run, publisher);
  const before = stateWithBucketsOf(sim);
  require("L6", isRefused(ask(sim, publisher, "stats")), "the request after the last was admitted");
  require("L6", stateWithBucketsOf(sim) === before, "a refused request changed the state");
}

/** X-RateLimit-Remaining is on every response. */
export function L7(run: Run): void {
  for (const { response } of requestSteps(run.steps)) {
    const remaining = response.headers["x-ratelimit-remaining"] ?? "";
    require("L7", /^\d+$/.test(remaining), JSON.stringify(response));
  }
}

/** What one publisher's key spends, no other misses. */
export function L8(run: Run): void {
  const [publisher, ...others] = run.publishers;
  if (publisher === undefined) return;
  const origin = run.sim.fork();
  const flooded = exhausted(run, publisher);
  for (const other of others) {
    const [before, after] = [origin, flooded].map((sim) =>
      JSON.stringify(ask(sim, other, "stats")),
    );
    require("L8", before === after, `${other.id} got ${before}, and ${after} beside a flood`);
  }
}

/** A fork in which the publisher's key has used up its reporting quota. */
function exhausted(run: Run, publisher: Publisher): Simulator {
  const sim = run.sim.fork();
  for (let sent = 0; sent < LIMITS.reporting; sent += 1) ask(sim, publisher, "stats");
  return sim;
}

/** Of a request that there is nothing else to say against. */
function isRefused({ status }: ApiResponse): boolean {
  return status !== 200;
}

/** The requests that a limit decided on, by quota. */
function pools(run: Run): Arrivals[] {
  const { assumptions } = run.options;
  const isFree = assumptions["limit.rejected-requests"] === "free";
  const found = new Map<string, { limit: number; arrivals: Arrival[] }>();
  for (const step of requestSteps(legible(run).steps)) {
    const name = poolOf(step, assumptions);
    if (name === undefined) continue;
    const { response, atMs, action } = step;
    const refused = response.status === 429;
    const limit = LIMITS[name.startsWith("recording") ? "recording" : "reporting"];
    const pool = found.get(name) ?? { limit, arrivals: [] };
    pool.arrivals.push({
      atMs,
      refused,
      spent: !refused && !(isFree && response.status !== 200),
      remaining: Number(response.headers["x-ratelimit-remaining"]),
      what: `${JSON.stringify(action)} got ${JSON.stringify(response)}`,
    });
    found.set(name, pool);
  }
  return [...found.values()];
}

/** Names the quota that a request counts against; undefined for one that counts against none. */
function poolOf(
  { action, response }: RequestStep,
  assumptions: Readonly<Record<string, string>>,
): string | undefined {
  const { request, publisherId } = action;
  const path = pathOf(request);
  const operation = Object.values(operations).find((one) => one.path === path);
  if (operation === undefined || isElsewhere(request, assumptions)) return undefined;
  // In a legible run 401 has one meaning: a key that is nobody's.
  if (!answersTo(operation.method, request.method, assumptions) || response.status === 401) {
    return undefined;
  }
  if (operation.limit === "recording") {
    const apart = assumptions["limit.recording-pool"] === "separate" && path === "/v1/click";
    return `recording ${publisherId}${apart ? " clicks" : ""}`;
  }
  const all = assumptions["limit.reporting-endpoints"] === "all-get";
  const { authorization } = request.headers ?? {};
  return all || path.endsWith("/stats")
    ? `reporting ${authorization?.split(" ").at(-1)}`
    : undefined;
}

function answersTo(
  method: string,
  sent: string,
  assumptions: Readonly<Record<string, string>>,
): boolean {
  const isHead = sent === "HEAD" && method === "GET";
  return sent === method || (isHead && assumptions["http.head"] === "supported");
}
