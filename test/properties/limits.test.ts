/** The request limits at full size, under every algorithm (L1 to L6, L8), with direct loops: 10,000 commands would shrink for hours. */

import { describe, expect, test } from "vitest";
import {
  type ApiResponse,
  createSimulator,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { waitFor } from "../oracle/quota.ts";
import { type Algorithm, judgeArrivals, MINUTE_MS, type QuotaRequest } from "../oracle/quotas.ts";
import { ask } from "./ask.ts";
import { stateWithBucketsOf } from "./run.ts";

type Pool = "recording" | "reporting";

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

  test("L1 to L3, L5: whether a request is admitted depends only on those admitted before, and Remaining says how many more are", () => {
    const { sim, admitted, send } = floodOf(algorithm, pool);
    const tokenMs = MINUTE_MS / limit;
    const arrivals = Array.from({ length: 4 * limit }, (_, arrival): QuotaRequest => {
      // Bursts that are faster than quota comes back, and now and then a pause.
      const pace = (arrival * 7919) % 11;
      if (arrival % Math.floor(limit / 3) === 0) sim.clock.advance(3003 + (arrival % 5000));
      else if (pace > 7) sim.clock.advance(Math.floor((tokenMs * pace) / 13));
      const atMs = sim.clock.now();
      const { status, headers } = send();
      return {
        atMs,
        charge: status === 200 ? "spent" : "limited",
        remaining: headers["x-ratelimit-remaining"],
        what: () => `arrival ${arrival} at ${atMs} got ${status}`,
      };
    });
    const limited = arrivals.length - admitted.length;
    const agreed = { decision: undefined, remaining: undefined, limited };
    expect(judgeArrivals(arrivals, limit, algorithm)).toEqual(agreed);
    // Some were refused, but more than the first were admitted.
    expect(admitted.length).toBeGreaterThan(limit);
    expect(admitted.length).toBeLessThan(4 * limit);
  });

  test("L4: Retry-After is the exact wait rounded up to seconds, and a request is refused until its last millisecond", () => {
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

  test("L6, L8: a refused request changes no balance or bucket, and leaves other publishers their quota", () => {
    const flood = floodOf(algorithm, pool);
    exhaust(flood, limit);
    const before = stateWithBucketsOf(flood.sim);
    for (let sent = 0; sent < 20; sent += 1) expect(flood.send().status).toBe(429);
    expect(stateWithBucketsOf(flood.sim)).toBe(before);
    const other = flood.sendOther();
    expect([other.status, remaining(other)]).toEqual([200, limit - 1]);
  });
});

const start = "2026-03-01T00:00:00Z";

/** A world with a publisher that has used up a minute's quota. */
function exhausted(pool: Pool): Simulator {
  const sim = createSimulator({ start, publishers: 3, journalEntries: 0 });
  const publisher = sim.publishers.at(0);
  for (let sent = 0; sent < limits[pool]; sent += 1) request(sim, pool, publisher);
  return sim;
}

test.each(["recording", "reporting"] as const)(
  "L6: a refusal by the %s limit changes nothing even if a deduplication window has just passed",
  (pool) => {
    const sim = createSimulator({ start, publishers: 2 });
    const [flooding, quiet] = [sim.publishers.at(0), sim.publishers.at(1)];
    sim.clock.advance("10s");
    const surface = quiet.surfaces[0]?.id;
    ask(sim, quiet, "impression", { surface, ad_id: "ad", session_id: "session" });
    // The window passes ten seconds into a minute whose quota is used up by then.
    sim.clock.advance(30 * MINUTE_MS - 10_000);
    for (let sent = 0; sent < limits[pool]; sent += 1) request(sim, pool, flooding);
    sim.clock.advance("10s");
    const before = stateWithBucketsOf(sim);
    expect(request(sim, pool, flooding).status).toBe(429);
    expect(stateWithBucketsOf(sim)).toBe(before);
  },
);

test("the two limits don't share quota: each pool refuses alone", () => {
  const recording = exhausted("recording");
  expect(request(recording, "reporting", recording.publishers.at(0)).status).toBe(200);
  const reporting = exhausted("reporting");
  expect(request(reporting, "recording", reporting.publishers.at(0)).status).toBe(200);
});

test("impressions and clicks share the recording limit, the three GETs the reporting limit", () => {
  const sim = createSimulator({ start });
  const publisher = sim.publishers.at(0);
  expect(remaining(request(sim, "recording", publisher))).toBe(9_999);
  const clicked = ask(sim, publisher, "click", { impression_id: "imp_nothing" });
  expect([clicked.status, remaining(clicked)]).toEqual([404, 9_998]);
  const gets = ["stats", "surfaces", "payouts"] as const;
  const left = gets.map((operation) => remaining(ask(sim, publisher, operation)));
  expect(left).toEqual([59, 58, 57]);
});

test("recording belongs to the publisher, reporting to the key: a new key renews reporting only", () => {
  for (const [pool, status] of [
    ["recording", 429],
    ["reporting", 200],
  ] as const) {
    const sim = exhausted(pool);
    const renewed = sim.publishers.rotateKey(sim.publishers.at(0).id);
    expect(request(sim, pool, renewed).status).toBe(status);
  }
});

test("a request with an unknown key spends nobody's quota", () => {
  const sim = createSimulator({ start });
  const publisher = sim.publishers.at(0);
  for (let sent = 0; sent < 100; sent += 1) {
    const refused = ask(sim, { ...publisher, apiKey: "key_0000000000000" }, "stats");
    expect([refused.status, remaining(refused)]).toEqual([401, 60]);
  }
  expect(remaining(ask(sim, publisher, "stats"))).toBe(59);
});

test("a request that is refused for another reason spends quota once its key is known", () => {
  const sim = createSimulator({ start });
  const refused = ask(sim, sim.publishers.at(0), "stats", { from: "never" });
  expect([refused.status, remaining(refused)]).toEqual([400, 59]);
});
