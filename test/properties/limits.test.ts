/**
 * The recording limit at full size, under every algorithm (L1 to L5, L8), with direct loops: 10,000 commands would shrink for
 * hours. The campaigns flood the reporting limit.
 */

import { expect, test } from "vitest";
import {
  type ApiResponse,
  createSimulator,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";
import { type Algorithm, counters, waitFor } from "../oracle/counters.ts";
import { ask } from "./ask.ts";

const LIMIT = 10_000;

function show(sim: Simulator, publisher: Publisher): ApiResponse {
  return ask(sim, publisher, "impression", { surface: publisher.surfaces[0]?.id, ad_id: "ad" });
}

test.each(Object.keys(counters) as Algorithm[])(
  "%s: X-RateLimit-Remaining and Retry-After are exact, and each publisher has its own quota",
  (algorithm) => {
    const sim = createSimulator({
      start: "2026-03-01T00:00:13.250Z",
      publishers: 2,
      journalEntries: 0,
      assumptions: { "limit.algorithm": algorithm },
    });
    const [publisher, other] = [sim.publishers.at(0), sim.publishers.at(1)];
    const counter = counters[algorithm](LIMIT);
    const admitted: number[] = [];
    const arrivals = 2 * LIMIT;
    for (let arrival = 0; arrival < arrivals; arrival += 1) {
      // Bursts that are faster than quota comes back, and now and then a pause.
      if (arrival % Math.floor(LIMIT / 3) === 0) sim.clock.advance(4003 + (arrival % 5000));
      else if ((arrival * 7919) % 11 > 7) sim.clock.advance(4);
      const atMs = sim.clock.now();
      const isAdmitted = counter.room(atMs) > 0;
      if (isAdmitted) {
        counter.spend(atMs);
        admitted.push(atMs);
      }
      const { status, headers } = show(sim, publisher);
      const told = [status, headers["x-ratelimit-remaining"]];
      const expected = [isAdmitted ? 200 : 429, String(counter.room(atMs))];
      if (String(told) !== String(expected)) expect(told, `arrival ${arrival}`).toEqual(expected);
    }
    // Some were refused, but more than the first were admitted.
    expect(admitted.length).toBeGreaterThan(LIMIT);
    expect(admitted.length).toBeLessThan(arrivals);

    while (show(sim, publisher).status === 200) admitted.push(sim.clock.now());
    const waitMs = waitFor(algorithm, admitted, LIMIT, sim.clock.now());
    const { headers } = show(sim, publisher);
    expect(Number(headers["retry-after"])).toBe(Math.ceil(waitMs / 1000));
    sim.clock.advance(waitMs - 1);
    expect(show(sim, publisher).status).toBe(429);
    expect(show(sim, other).headers["x-ratelimit-remaining"]).toBe(String(LIMIT - 1));
    sim.clock.advance(1);
    expect(show(sim, publisher).status).toBe(200);
  },
);
