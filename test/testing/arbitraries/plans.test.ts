/** Clock plans, fault plans and publishers: valid, near the edges, and shrunk to simple ones. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { LAST_INSTANT_MS } from "../../../src/base/calendar.ts";
import { verdictKinds } from "../../../src/faults/plan.ts";
import { createSimulator, InputError } from "../../../src/index.ts";
import { edges } from "../../../src/testing/arbitraries/plans.ts";
import {
  arbitraryClockPlan,
  arbitraryFaultPlan,
  arbitraryFaultRule,
  arbitraryPublisher,
} from "../../../src/testing.ts";
import { createMarks } from "../../marks.ts";

const DAY_MS = 86_400_000;

/** Whether a wait ends at such an edge. */
function isAt(edge: string, byMs: number, atMs: number): boolean {
  if (edge === "minute") return atMs % 60_000 === 0;
  if (edge.startsWith("window")) return byMs === (edge === "window-30m" ? 1_800_000 : DAY_MS);
  const there = new Date(atMs + (edge.endsWith("-ist") ? 19_800_000 : 0)).toISOString();
  const isDay = edge === "leap-day" ? /-02-29T/ : edge.startsWith("month") ? /-01T/ : /T/;
  return there.endsWith("T00:00:00.000Z") && isDay.test(there);
}

function shrunk<Value>(arbitrary: fc.Arbitrary<Value>, fails: (value: Value) => boolean): Value {
  const property = fc.property(arbitrary, (value) => !fails(value));
  const [found] = fc.check(property, { seed: 5, numRuns: 3000 }).counterexample ?? [];
  if (found === undefined) throw new Error("Nothing failed.");
  return found;
}

test("clock plans move a clock to every edge, and a millisecond to either side", () => {
  const marks = createMarks();
  const start = "2027-12-30T18:00:00Z";
  for (const plan of fc.sample(arbitraryClockPlan({ start }), { seed: 1, numRuns: 400 })) {
    const sim = createSimulator({ start, publishers: 1 });
    for (const { byMs, atMs, edge = "nowhere" } of plan) {
      expect(sim.clock.advance(byMs)).toBe(atMs);
      const nudge = [-1, 0, 1].find((one) => isAt(edge, byMs - one, atMs - one));
      if (edge !== "nowhere") expect(nudge).toBeDefined();
      marks.sometimes(edge === "nowhere" ? edge : `${edge} ${nudge}`);
    }
  }
  marks.expectReached([
    "nowhere",
    ...edges.flatMap((edge) => [-1, 0, 1].map((n) => `${edge} ${n}`)),
  ]);
});

test("clock plans never go past the last instant of a world", () => {
  const sim = createSimulator({ start: "9999-12-31T18:29:00Z", publishers: 1 });
  for (const plan of fc.sample(arbitraryClockPlan({ sim }), { seed: 1, numRuns: 200 })) {
    expect(plan.every(({ byMs }) => byMs >= 0)).toBe(true);
    expect(plan.at(-1)?.atMs).toBeLessThanOrEqual(LAST_INSTANT_MS);
  }
});

test("clock plans shrink to few waits, or to a millisecond", () => {
  const far = shrunk(arbitraryClockPlan(), (plan) => plan.some(({ byMs }) => byMs > DAY_MS));
  expect(far.length).toBeLessThanOrEqual(2);
  const any = shrunk(arbitraryClockPlan(), (plan) => plan.length > 1);
  expect(any.map(({ byMs, edge }) => [byMs, edge])).toEqual(Array(2).fill([1, undefined]));
});

test("fault plans hold bounded rules of every kind, only of the requested ones, and shrink to a drop", () => {
  const marks = createMarks();
  const bounded = arbitraryFaultPlan({ longestDelayMs: 50, mostTimes: 2 });
  for (const plan of fc.sample(bounded, { seed: 1, numRuns: 400 })) {
    createSimulator({ publishers: 1, faults: plan });
    expect(plan.length).toBeLessThanOrEqual(3);
    for (const { match = {}, verdict } of plan) {
      expect(match.times).toBeLessThanOrEqual(2);
      expect(Number(verdict.delay ?? 0)).toBeLessThanOrEqual(50);
      marks.sometimes(verdict.kind);
      marks.sometimes("about any request", match.operation === undefined);
      marks.sometimes("about one operation", match.operation !== undefined);
      for (const part of ["nth", "every", "share"] as const) {
        marks.sometimes(part, match[part] !== undefined);
      }
    }
  }
  marks.expectReached(verdictKinds);
  const options = { kinds: ["drop", "timeout"], operations: ["click"] } as const;
  for (const rule of fc.sample(arbitraryFaultRule(options), { seed: 1, numRuns: 50 })) {
    expect(options.kinds).toContain(rule.verdict.kind);
    expect(rule.match?.operation).toBe("click");
  }
  const plan = shrunk(arbitraryFaultPlan(), (rules) => rules.length > 0);
  expect(plan).toEqual([{ match: { times: 1 }, verdict: { kind: "drop" } }]);
});

test("publishers are mostly the first ones, and shrink to the first", () => {
  const sim = createSimulator({ publishers: 200 });
  const picks = fc.sample(arbitraryPublisher(sim), { seed: 1, numRuns: 500 });
  expect(picks.filter(({ ordinal }) => ordinal < 4).length).toBeGreaterThan(300);
  expect(picks.some(({ ordinal }) => ordinal > 100)).toBe(true);
  expect(shrunk(arbitraryPublisher(sim), () => true)).toEqual(sim.publishers.at(0));
});

test.each<[string, (options: never) => unknown, object]>([
  ["start must be an instant", arbitraryClockPlan, { start: "today" }],
  ["lenght is not an option.", arbitraryClockPlan, { lenght: 3 }],
  ["kinds.0 must be one of drop", arbitraryFaultPlan, { kinds: ["explode"] }],
  ["kinds must be a list of at least one.", arbitraryFaultPlan, { kinds: [] }],
  ["sim must be a simulator", arbitraryPublisher, {}],
])("wrong options are refused: %s", (message, make, options) => {
  expect(() => make(options as never)).toThrow(InputError);
  expect(() => make(options as never)).toThrow(message);
});
