/** Buckets in a snapshot: complete under every algorithm. */

import { expect, test } from "vitest";
import {
  type ApiRequest,
  type ApiResponse,
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../../src/index.ts";
import { algorithmNames } from "./algorithm-names.ts";

function simulator(assumptions: SimulatorOptions["assumptions"]): Simulator {
  return createSimulator({ seed: "buckets", publishers: 2, assumptions });
}

function stats(sim: Simulator): ApiRequest {
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers };
}

function click(sim: Simulator): ApiRequest {
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  return { method: "POST", path: "/v1/click", headers, body: { impression_id: "nothing" } };
}

/** Uses up the reporting quota over 50 seconds, so that it is restored at different times under each algorithm. */
function spend(sim: Simulator): void {
  for (let sent = 0; sent < 60; sent += 1) {
    sim.clock.advance(sent === 20 ? 40_123 : 167);
    sim.handle(stats(sim));
    sim.handle(click(sim));
  }
}

function goOn(sim: Simulator): ApiResponse[] {
  return Array.from({ length: 220 }, () => {
    sim.clock.advance(300);
    sim.handle(click(sim));
    return sim.handle(stats(sim));
  });
}

const pools = ["shared", "separate"] as const;
const ways = algorithmNames.flatMap((algorithm) => pools.map((pool) => [algorithm, pool] as const));

test.each(ways)(
  "under %s and %s clicks a restored world continues as the saved one",
  (name, pool) => {
    const assumptions = { "limit.algorithm": name, "limit.recording-pool": pool } as const;
    const sim = simulator(assumptions);
    spend(sim);
    const text = JSON.stringify(sim.snapshot());
    const copy = createSimulator();
    copy.restore(JSON.parse(text));
    expect(JSON.stringify(copy.snapshot())).toBe(text);
    const went = goOn(sim);
    expect(goOn(copy)).toEqual(went);
    expect(JSON.stringify(copy.snapshot())).toBe(JSON.stringify(sim.snapshot()));
    expect(new Set(went.map(({ status }) => status))).toEqual(new Set([200, 429]));
  },
);
