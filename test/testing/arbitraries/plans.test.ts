/** Clock plans, fault plans and publishers: valid, near the edges, and shrunk to simple ones. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LAST_INSTANT_MS, parseInstant } from "../../../src/base/calendar.ts";
import { parseRule } from "../../../src/faults/rule.ts";
import { createSimulator, InputError } from "../../../src/index.ts";
import { type Edge, edges } from "../../../src/testing/arbitraries/edges.ts";
import { verdictKinds } from "../../../src/testing/arbitraries/fault-plan.ts";
import {
  arbitraryClockPlan,
  arbitraryFaultPlan,
  arbitraryFaultRule,
  arbitraryPublisher,
  type ClockStep,
} from "../../../src/testing.ts";
import { createMarks } from "../../marks.ts";

const DAY_MS = 86_400_000;

/** Whether an instant lies on such an edge of the calendar or of the minute. */
function isAt(edge: Edge, nowMs: number): boolean {
  if (edge === "minute") return nowMs % 60_000 === 0;
  const there = new Date(nowMs + (edge.endsWith("-ist") ? 19_800_000 : 0)).toISOString();
  const day = { "leap-day": "-02-29T", "month-end": "-01T", "month-end-ist": "-01T" }[
    edge as string
  ];
  return there.endsWith("T00:00:00.000Z") && there.includes(day ?? "T");
}

function shrunk<Value>(arbitrary: fc.Arbitrary<Value>, fails: (value: Value) => boolean): Value {
  const property = fc.property(arbitrary, (value) => !fails(value));
  const [found] = fc.check(property, { seed: 5, numRuns: 3000 }).counterexample ?? [];
  if (found === undefined) throw new Error("Nothing failed.");
  return found;
}

describe("clock plans", () => {
  test("move a clock to every edge, and a millisecond to either side", () => {
    const marks = createMarks();
    const startMs = parseInstant("2027-12-30T18:00:00Z") ?? 0;
    const plans = arbitraryClockPlan({ start: "2027-12-30T18:00:00Z" });
    for (const plan of fc.sample(plans, { seed: 1, numRuns: 400 })) {
      const sim = createSimulator({ start: "2027-12-30T18:00:00Z", publishers: 1 });
      let beforeMs = startMs;
      for (const { byMs, atMs, edge } of plan) {
        expect(sim.clock.advance(byMs)).toBe(atMs);
        if (edge === undefined) marks.sometimes("a wait to nowhere");
        for (const nudge of [-1, 0, 1]) {
          const name = `${edge} ${nudge}`;
          if (edge?.startsWith("window-24h")) {
            marks.sometimes(name, atMs - beforeMs === DAY_MS + nudge);
          } else if (edge !== undefined && !edge.startsWith("window")) {
            marks.sometimes(name, isAt(edge, atMs - nudge));
          }
        }
        beforeMs = atMs;
      }
    }
    marks.expectReached();
    const seen = new Set(
      fc
        .sample(plans, { seed: 2, numRuns: 300 })
        .flat()
        .map((one) => one.edge),
    );
    expect([...seen].sort()).toEqual([...edges, undefined].sort());
  });

  test("never go past the last instant of a world", () => {
    const sim = createSimulator({ start: "9999-12-31T18:29:00Z", publishers: 1 });
    for (const plan of fc.sample(arbitraryClockPlan({ sim }), { seed: 1, numRuns: 200 })) {
      expect(plan.every(({ byMs }) => byMs >= 0)).toBe(true);
      expect(plan.at(-1)?.atMs).toBeLessThanOrEqual(LAST_INSTANT_MS);
      const fork = sim.fork();
      for (const { byMs } of plan) fork.clock.advance(byMs);
    }
  });

  test("shrink to few waits, or to a millisecond", () => {
    const far = (plan: readonly ClockStep[]): boolean => plan.some(({ byMs }) => byMs > DAY_MS);
    expect(shrunk(arbitraryClockPlan(), far).length).toBeLessThanOrEqual(2);
    const start = parseInstant("2026-01-15T00:00:00Z") ?? 0;
    const any = shrunk(arbitraryClockPlan(), (plan) => plan.length > 1);
    expect(any).toEqual([
      { byMs: 1, atMs: start + 1, edge: undefined },
      { byMs: 1, atMs: start + 2, edge: undefined },
    ]);
  });
});

describe("fault plans", () => {
  test("hold rules of every kind that a simulator takes, each of them bounded", () => {
    const plans = fc.sample(arbitraryFaultPlan({ longestDelayMs: 50, mostTimes: 2 }), {
      seed: 1,
      numRuns: 400,
    });
    const marks = createMarks();
    for (const plan of plans) {
      createSimulator({ publishers: 1, faults: plan });
      expect(plan.length).toBeLessThanOrEqual(3);
      for (const rule of plan) {
        expect(parseRule(rule)).toEqual(rule);
        expect(rule.match?.times).toBeLessThanOrEqual(2);
        marks.sometimes(rule.verdict.kind);
        marks.sometimes("about any request", rule.match?.operation === undefined);
        marks.sometimes("about one operation", rule.match?.operation !== undefined);
        const { delay } = rule.verdict;
        const longest = typeof delay === "object" ? delay.to : (delay ?? 0);
        expect(longest).toBeLessThanOrEqual(50);
        for (const part of ["nth", "every", "share"] as const) {
          marks.sometimes(part, rule.match?.[part] !== undefined);
        }
      }
    }
    marks.expectReached(verdictKinds);
  });

  test("have only the requested kinds and operations", () => {
    const options = { kinds: ["drop", "timeout"], operations: ["click"] } as const;
    for (const rule of fc.sample(arbitraryFaultRule(options), { seed: 1, numRuns: 50 })) {
      expect(options.kinds).toContain(rule.verdict.kind);
      expect(rule.match?.operation).toBe("click");
    }
  });

  test("shrink to one rule that drops a request", () => {
    const plan = shrunk(arbitraryFaultPlan(), (rules) => rules.length > 0);
    expect(plan).toEqual([{ match: { times: 1 }, verdict: { kind: "drop" } }]);
  });
});

describe("publishers", () => {
  const sim = createSimulator({ publishers: 200 });

  test("are mostly the first ones, now and then any, and shrink to the first", () => {
    const picks = fc.sample(arbitraryPublisher(sim), { seed: 1, numRuns: 500 });
    const first = picks.filter(({ ordinal }) => ordinal < 4).length;
    expect(first).toBeGreaterThan(300);
    expect(picks.some(({ ordinal }) => ordinal > 100)).toBe(true);
    expect(shrunk(arbitraryPublisher(sim), () => true)).toEqual(sim.publishers.at(0));
  });

  test("have an active surface if that is asked for", () => {
    const few = createSimulator({ publishers: 2 });
    const [paused, other] = few.publishers.list();
    for (const { id } of paused?.surfaces ?? []) {
      few.publishers.setSurface(paused?.id ?? "", id, { status: "paused" });
    }
    const active = arbitraryPublisher({ sim: few, surfaces: "active" });
    const ids = fc.sample(active, { seed: 1, numRuns: 30 }).map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set([other?.id]));
    for (const { id } of other?.surfaces ?? []) {
      few.publishers.setSurface(other?.id ?? "", id, { status: "paused" });
    }
    expect(() => arbitraryPublisher({ sim: few, surfaces: "active" })).toThrow(InputError);
  });
});

const anything = (make: unknown): ((options: object) => unknown) =>
  make as (options: object) => unknown;

test.each<[string, (options: object) => unknown, object, string]>([
  ["clock", anything(arbitraryClockPlan), { start: "today" }, "start must be an instant"],
  ["clock", anything(arbitraryClockPlan), { edges: ["noon"] }, "edges.0 must be one of minute"],
  ["clock", anything(arbitraryClockPlan), { lenght: 3 }, "lenght is not an option."],
  ["fault", anything(arbitraryFaultPlan), { kinds: ["explode"] }, "kinds.0 must be one of drop"],
  ["fault", anything(arbitraryFaultPlan), { kinds: [] }, "kinds must not be an empty list."],
  ["publisher", anything(arbitraryPublisher), { sims: [] }, "sims is not an option."],
])("options are refused by name: %s %#", (_, make, options, message) => {
  expect(() => make(options)).toThrow(InputError);
  expect(() => make(options)).toThrow(message);
});
