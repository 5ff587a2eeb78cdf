/** What several workers report is merged into what one would have reported, and only then judged. */

import { describe, expect, test } from "vitest";
import { drawBetween } from "../../../src/base/random.ts";
import { createSimulator } from "../../../src/index.ts";
import { exchangeOf } from "../../../src/laws/client-exchange.ts";
import type { Scenario } from "../../../src/play/language/scenario.ts";
import { encodeLatencies } from "../../../src/play/measure/latency-encoding.ts";
import type { Performers } from "../../../src/play/player/effects.ts";
import { mergeShares, type PlayedShare } from "../../../src/play/player/merge-shares.ts";
import { play } from "../../../src/play/player/play.ts";
import { driveAtOnce, performersOn } from "../../../src/play/player/play-in-process.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { createTrafficSource } from "../../../src/play/traffic/source.ts";

const START_MS = Date.UTC(2026, 0, 15);

const scenario: Scenario = {
  name: "load",
  about: "Two kinds of traffic.",
  steps: [
    {
      traffic: {
        for: "30s",
        arrivals: { kind: "poisson", rate: "100/s" },
        publishers: [0, 1, 2],
        mix: { impression: 50, stats: 1 },
      },
      expect: { sent: { atLeast: 2500 } },
    },
    { advance: "5s" },
    { traffic: { for: "1s", arrivals: { kind: "burst", count: 301 } }, expect: { ok: 301 } },
  ],
  thresholds: ["p99 < 2s", "sent > 2800"],
};

/**
 * Plays a share in a world of its own, in virtual time. A request's latency depends on the request alone, so the latencies of
 * all workers are those of one.
 */
function playShare(worker: number, of: number, given: Scenario = scenario): PlayedShare {
  const sim = createSimulator({ assumptions: { "limit.exceeded": "429" } });
  const inProcess = performersOn(sim);
  const performers: Performers = {
    ...inProcess,
    *traffic({ order }) {
      yield;
      const source = createTrafficSource(order);
      for (let next = source.next(); next !== undefined; next = source.next()) {
        const exchange = exchangeOf(next, sim.handle(next.request), sim.clock.now() + next.dueMs);
        source.answered(next.number, exchange);
        order.observe({ ...exchange, latencyMs: latencyOf(JSON.stringify(next.request)) });
      }
      return { late: worker, dropped: 0 };
    },
  };
  const result = driveAtOnce(
    play(given, {
      capabilities: { time: { kind: "real", speed: 1 }, control: false },
      sending: { share: { worker, of, startMs: START_MS, encode: encodeLatencies } },
      target: { kind: "service", url: "http://ads.test" },
      reproduce: `worker ${worker}`,
      laws: [],
    }),
    performers,
  );
  // As a report gives it.
  return JSON.parse(JSON.stringify(result));
}

/** Between 1 ms and 1 s, seldom up to 3 s. */
function latencyOf(text: string): number {
  let key = 0;
  for (const char of text) key = (Math.imul(key, 31) + char.charCodeAt(0)) | 0;
  const drawn = drawBetween({ a: key, b: 1 }, 0, 1, 1_000_000);
  return drawn % 50 === 0 ? drawn / 333 : drawn / 1000;
}

function merged(of: number, given?: Scenario): PlayResult {
  const shares = Array.from({ length: of }, (_, index) => playShare(index + 1, of, given));
  return mergeShares(shares, "again");
}

/** Without the ids, which workers don't compare, and the lateness, which is made up. */
function counts({ tally }: PlayResult): unknown {
  const { differentIds: _, late: _late, creditedInr: _credited, ...rest } = tally;
  return rest;
}

describe("4 and 16 workers", () => {
  const one = merged(1);
  test.each([4, 16])("%i workers count what one counts, with the same percentiles", (of) => {
    const all = merged(of);
    expect(all.tally.sent).toBeGreaterThan(3000);
    expect(counts(all)).toEqual(counts(one));
    expect(all.steps.map((step) => [step.path, step.tally?.sent, step.verdict])).toEqual(
      one.steps.map((step) => [step.path, step.tally?.sent, step.verdict]),
    );
    // The histograms are added bucket by bucket.
    const { mean, ...latency } = all.latency ?? { mean: Number.NaN };
    expect(one.latency).toMatchObject(latency);
    expect(Math.abs(mean - (one.latency?.mean ?? 0))).toBeLessThan(0.01);
    expect(all.tally.late).toBe(of * (of + 1));
    expect(all.thresholds.map(({ verdict }) => verdict)).toEqual(["held", "held"]);
    expect(all.verdict).toBe("held");
    expect(all.share).toBeUndefined();
  });

  test("their timeline has the counts and latencies of one", () => {
    const { timeline } = merged(4);
    expect(timeline.bucketMs).toBe(one.timeline.bucketMs);
    expect(timeline.buckets.map(({ creditedInr: _, ...bucket }) => bucket)).toEqual(
      one.timeline.buckets.map(({ creditedInr: _, ...bucket }) => bucket),
    );
  });
});

test("a worker judges nothing by itself, and its result says so", () => {
  const { verdict, why, thresholds, steps, invariants } = playShare(2, 4);
  expect(verdict).toBe("unknown");
  expect(why).toContain("merge the reports of all workers");
  expect([thresholds, invariants]).toEqual([[], []]);
  expect(steps.map((step) => step.verdict)).toEqual(["done", "done", "done"]);
});

test("an expectation that only the sum breaks is broken", () => {
  const [first, advance, spike] = scenario.steps;
  const expecting = { ...spike, expect: { ok: 300 } } as Scenario["steps"][number];
  const given = { ...scenario, steps: [first, advance, expecting] } as Scenario;
  const { verdict, why } = merged(4, given);
  expect([verdict, why]).toEqual(["broken", "tally.ok: expected 300, found 301 (steps.2)"]);
});

test("a threshold is judged by the sum", () => {
  const { verdict, thresholds } = merged(4, { ...scenario, thresholds: ["sent = 1"] });
  expect(verdict).toBe("broken");
  expect(thresholds[0]?.found).toMatch(/^3,\d{3}$/);
});

test("without the results of all workers nothing is judged, and the missing ones are named", () => {
  const shares = [playShare(1, 4), playShare(4, 4)];
  const { verdict, why, steps, thresholds } = mergeShares(shares, "");
  expect(verdict).toBe("unknown");
  expect(why).toContain("there is no result of workers 2 and 3 of 4");
  expect(steps.every((step) => step.checks.length === 0)).toBe(true);
  expect(thresholds.map((one) => one.verdict)).toEqual(["unknown", "unknown"]);
});

test("what workers can't tell together is unknown", () => {
  const [first] = scenario.steps;
  const ids = { ...first, expect: { differentIds: 3000 } } as Scenario["steps"][number];
  expect(merged(4, { ...scenario, steps: [ids] }).why).toContain("knows only its own ids");
  const inner = { ...first, expect: { sent: 1 } } as Scenario["steps"][number];
  const repeated: Scenario = {
    ...scenario,
    steps: [{ repeat: { times: 2, steps: [inner] }, expect: { sent: { atLeast: 5000 } } }],
  };
  const { verdict, steps } = merged(4, repeated);
  expect(verdict).toBe("unknown");
  expect(steps.map((step) => step.verdict)).toEqual(["unknown", "held"]);
});

test("a step that workers can't play is skipped, so the result is unknown", () => {
  const steps = [{ impression: {} }, ...scenario.steps] as Scenario["steps"];
  const { verdict, why } = merged(2, { ...scenario, steps });
  expect([verdict, why]).toEqual(["unknown", "steps.0 was skipped: workers send only traffic"]);
});

test.each([
  [
    "another number of workers",
    [playShare(1, 4), playShare(2, 5)],
    "is from a load of 5 workers, but another is from one of 4.",
  ],
  ["the same worker", [playShare(1, 4), playShare(1, 4)], "is of worker 1, and so is another."],
  [
    "another scenario",
    [playShare(1, 4), playShare(2, 4, { ...scenario, seed: "other" })],
    "is of another scenario, or of other options: its seed differs.",
  ],
  [
    "a run with an id, after one without",
    [playShare(1, 4), { ...playShare(2, 4), runId: "x" }],
    "has the run id x, but another report has no run id.",
  ],
  [
    "another run",
    [{ ...playShare(1, 4), runId: "x" }, playShare(2, 4)],
    "has no run id, but another report has the run id x.",
  ],
])("a share of %s is refused", (_, shares, why) => {
  expect(() => mergeShares(shares, "")).toThrow(
    expect.objectContaining({ field: "1", expected: why }),
  );
});
