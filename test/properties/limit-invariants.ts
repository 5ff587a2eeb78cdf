/** The laws of the request limits under the default reading, one function each. At full size: limits.test.ts. */

import type { ApiResponse, Publisher, Simulator } from "../../src/index.ts";
import { withoutTimeTravel } from "./invariants.ts";
import { pathOf, type RequestStep, requestSteps } from "./reading.ts";
import { type Run, require } from "./run.ts";

const LIMITS = { recording: 10_000, reporting: 60 };
const MINUTE_MS = 60_000;

/** A minute's arrivals in one pool are admitted up to the limit, exactly the first. */
export function L1(run: Run): void {
  for (const { steps, limit } of minutes(run)) {
    for (const [index, { response, action }] of steps.entries()) {
      const refused = response?.status === 429;
      const what = `arrival ${index + 1} of ${limit} a minute got ${response?.status}: ${JSON.stringify(action)}`;
      require("L1", refused === index >= limit, what);
    }
  }
}

/** A refusal's Retry-After waits for the end of its minute, and not a second longer. */
export function L4(run: Run): void {
  for (const { atMs, response } of requestSteps(run.steps)) {
    if (response?.status !== 429) continue;
    const waitMs = Number(response.headers["retry-after"]) * 1000;
    const restMs = MINUTE_MS - (atMs % MINUTE_MS);
    require("L4", waitMs >= restMs &&
      waitMs - 1000 < restMs, `${waitMs} ms of wait, ${restMs} ms left`);
  }
}

/** Remaining falls by one per admitted request and never below 0. */
export function L5(run: Run): void {
  for (const { steps, limit } of minutes(run)) {
    for (const [index, { response }] of steps.entries()) {
      const left = Math.max(0, limit - index - 1);
      require("L5", remaining(response) ===
        left, `${remaining(response)} remaining where ${left} are`);
    }
  }
}

/** A request refused by the limit changes no state. */
export function L6(run: Run): void {
  const publisher = run.publishers[0];
  if (publisher === undefined) return;
  const sim = exhausted(run, publisher);
  const before = JSON.stringify(sim.snapshot());
  const status = read(sim, publisher).status;
  require("L6", status === 429, `the request after the last got ${status}`);
  require("L6", JSON.stringify(sim.snapshot()) === before, "a refused request changed the state");
}

/** X-RateLimit-Remaining is on every response. */
export function L7(run: Run): void {
  for (const { response } of requestSteps(run.steps)) {
    require("L7", /^\d+$/.test(response?.headers["x-ratelimit-remaining"] ?? ""), JSON.stringify(
      response,
    ));
  }
}

/** What one publisher spends, no other misses. */
export function L8(run: Run): void {
  const [publisher, ...others] = run.publishers;
  if (publisher === undefined) return;
  const origin = run.sim.fork();
  const flooded = exhausted(run, publisher);
  for (const other of others) {
    const [before, after] = [origin, flooded].map((sim) => JSON.stringify(read(sim, other)));
    require("L8", before === after, `${other.id} got ${before}, and ${after} beside a flood`);
  }
}

/** A fork in which the publisher has used up its reporting quota. */
function exhausted(run: Run, publisher: Publisher): Simulator {
  const sim = run.sim.fork();
  for (let sent = 0; sent < LIMITS.reporting; sent += 1) read(sim, publisher);
  return sim;
}

function read(sim: Simulator, { id, apiKey }: Publisher): ApiResponse {
  const headers = { authorization: `Bearer ${apiKey}` };
  const path = "/v1/publisher/surfaces";
  return sim.handle({ method: "GET", path, query: { publisher_id: id }, headers });
}

function remaining(response: ApiResponse | undefined): number {
  return Number(response?.headers["x-ratelimit-remaining"] ?? Number.NaN);
}

/** The requests with a valid key, by pool and minute, in their order. */
function minutes(run: Run): { steps: RequestStep[]; limit: number }[] {
  const pools = new Map<string, { steps: RequestStep[]; limit: number }>();
  for (const step of requestSteps(withoutTimeTravel(run).steps)) {
    if (step.response === undefined || [401, 405].includes(step.response.status)) continue;
    const { request, publisherId } = step.action;
    const pool = pathOf(request).startsWith("/v1/publisher/") ? "reporting" : "recording";
    const headers = request.headers ?? {};
    const key = headers.authorization ?? headers.Authorization;
    const scope = pool === "recording" ? publisherId : key;
    const name = `${pool} ${scope} ${Math.floor(step.atMs / MINUTE_MS)}`;
    const group = pools.get(name) ?? { steps: [], limit: LIMITS[pool] };
    group.steps.push(step);
    pools.set(name, group);
  }
  return [...pools.values()];
}
