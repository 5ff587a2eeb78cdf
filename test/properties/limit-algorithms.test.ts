/** L1 to L6 and L8 at full size under every algorithm, by the counters of the laws. Examples of the default: limits.test.ts. */

import { describe, expect, test } from "vitest";
import {
  type ApiResponse,
  type Choice,
  createSimulator,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";
import { counterOf } from "../../src/laws/quotas.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { waitFor } from "../../src/testing/oracle/quota.ts";
import { ask } from "./asking.ts";
import { stateWithBucketsOf } from "./run.ts";

type Algorithm = Choice<"limit.algorithm">;
type Pool = "recording" | "reporting";

const MINUTE_MS = 60_000;
const limits: Readonly<Record<Pool, number>> = { recording: 10_000, reporting: 60 };

/** A world with one quota in it, and what that quota was spent on. */
interface Flood {
  readonly sim: Simulator;
  readonly admitted: number[];
  send(): ApiResponse;
  /** Sends one with another publisher's key. */
  sendOther(): ApiResponse;
}

function floodOf(algorithm: Algorithm, pool: Pool): Flood {
  const sim = createSimulator({
    start: "2026-03-01T00:00:13.250Z",
    publishers: 2,
    journalEntries: 0,
    assumptions: { "limit.algorithm": algorithm },
  });
  const [own, other] = [sim.publishers.at(0), sim.publishers.at(1)];
  const admitted: number[] = [];
  const send = (): ApiResponse => {
    const response = request(sim, pool, own);
    if (response.status === 200) admitted.push(sim.clock.now());
    return response;
  };
  return { sim, admitted, send, sendOther: () => request(sim, pool, other) };
}

function request(sim: Simulator, pool: Pool, publisher: Publisher): ApiResponse {
  if (pool === "reporting") return ask(sim, publisher, "surfaces");
  const surface = publisher.surfaces[0]?.id;
  return ask(sim, publisher, "impression", { surface, ad_id: "ad" });
}

function remaining({ headers }: ApiResponse): number {
  return Number(headers["x-ratelimit-remaining"]);
}

/** Sends in three bursts, so that quota comes back at different times, and on until it is used up. */
function exhaust({ sim, send }: Flood, limit: number): void {
  for (const share of [0.5, 0.3]) {
    for (let sent = 0; sent < limit * share; sent += 1) send();
    sim.clock.advance(9_876);
  }
  while (send().status === 200);
}

const ways = (Object.keys(catalogue["limit.algorithm"].choices) as Algorithm[]).flatMap(
  (algorithm) => (["recording", "reporting"] as const).map((pool) => [algorithm, pool] as const),
);

describe.each(ways)("%s, the %s limit", (algorithm, pool) => {
  const limit = limits[pool];

  test("L1 to L3, L5: who is admitted follows from who was, and Remaining falls by one to 0", () => {
    const { sim, admitted, send } = floodOf(algorithm, pool);
    const counter = counterOf(algorithm, limit);
    const tokenMs = MINUTE_MS / limit;
    let left = { atMs: -1, remaining: 0 };
    for (let arrival = 0; arrival < 4 * limit; arrival += 1) {
      // Bursts that are faster than quota comes back, and now and then a pause.
      const pace = (arrival * 7919) % 11;
      if (arrival % Math.floor(limit / 3) === 0) sim.clock.advance(3003 + (arrival % 5000));
      else if (pace > 7) sim.clock.advance(Math.floor((tokenMs * pace) / 13));
      const atMs = sim.clock.now();
      const due = counter.room(atMs) > 0;
      const response = send();
      const told = remaining(response);
      if (due) counter.spend(atMs);
      const falls = left.atMs !== atMs || told === Math.max(0, left.remaining - 1);
      const room = counter.room(atMs);
      if ((response.status === 200) !== due || !falls || told !== room || (!due && told !== 0)) {
        expect.fail(`arrival ${arrival} at ${atMs}, ${room} left: ${JSON.stringify(response)}`);
      }
      left = { atMs, remaining: told };
    }
    // Neither was everybody let in, nor only the first.
    expect(admitted.length).toBeGreaterThan(limit);
    expect(admitted.length).toBeLessThan(4 * limit);
  });

  test("L4: Retry-After is sound and tight, and refuses to the last millisecond", () => {
    const flood = floodOf(algorithm, pool);
    const { sim, admitted, send } = flood;
    for (let round = 0; round < 6; round += 1) {
      exhaust(flood, limit);
      sim.clock.advance(Math.floor(((round * 377) % MINUTE_MS) / limit));
      while (send().status === 200);
      const { headers } = send();
      const waitMs = waitFor(algorithm, admitted, limit, sim.clock.now(), 1);
      const seconds = Number(headers["retry-after"]);
      expect(seconds).toBe(Math.ceil(waitMs / 1000));
      sim.clock.advance((seconds - 1) * 1000);
      expect(send().status).toBe(429);
      sim.clock.advance(waitMs - 1 - (seconds - 1) * 1000);
      expect(send().status).toBe(429);
      sim.clock.advance(1);
      expect(send().status).toBe(200);
    }
  });

  test("L6, L8: a refused request changes no byte of the state, nor what others have left", () => {
    const flood = floodOf(algorithm, pool);
    exhaust(flood, limit);
    const before = stateWithBucketsOf(flood.sim);
    for (let sent = 0; sent < 20; sent += 1) expect(flood.send().status).toBe(429);
    expect(stateWithBucketsOf(flood.sim)).toBe(before);
    const other = flood.sendOther();
    expect([other.status, remaining(other)]).toEqual([200, limit - 1]);
  });
});
