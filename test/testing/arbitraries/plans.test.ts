/** Clock plans, fault plans, publishers and traces: valid, near the edges, and shrunk to simple ones. */

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
  arbitraryTrace,
  type ClockStep,
  playTrace,
  type TraceEvent,
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

  test("shrink to one wait, to the nearest edge that will do, or to a millisecond", () => {
    const far = (plan: readonly ClockStep[]): boolean => plan.some(({ byMs }) => byMs > DAY_MS);
    const [only, ...others] = shrunk(arbitraryClockPlan(), far);
    expect(others).toEqual([]);
    expect(only?.byMs).toBeLessThanOrEqual(DAY_MS + 1);
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

  test("are shown without their keys", () => {
    const text = fc.stringify(fc.sample(arbitraryPublisher(sim), { seed: 1, numRuns: 5 }));
    expect(text).toMatch(/publisher 0 \(pub_/);
    expect(text).not.toContain("key_");
  });
});

describe("traces", () => {
  const options = { publishers: 2, profile: "tiny" } as const;

  test("come near windows, midnights and limits", () => {
    const marks = createMarks();
    const sim = createSimulator({
      ...options,
      assumptions: {
        "click.window": "24h",
        "dedup.repeat": "conflict",
        "click.repeat": "conflict",
      },
    });
    for (const trace of fc.sample(arbitraryTrace({ sim }), { seed: 1, numRuns: 500 })) {
      const world = sim.fork();
      const steps = playTrace(world, trace);
      let shownMs = 0;
      for (const { event, atMs, exchanges } of steps) {
        if (event.kind === "impression") shownMs = atMs;
        for (const nudge of [-1, 0, 1]) {
          const age = atMs - shownMs - nudge;
          const { kind } = event;
          marks.sometimes(`repeat at ${nudge}`, kind === "repeat" && age === 1_800_000);
          marks.sometimes(`click at ${nudge}`, kind === "click" && age === DAY_MS);
          marks.sometimes(`midnight ${nudge}`, isAt("midnight-utc", atMs - nudge));
          marks.sometimes(`midnight in India ${nudge}`, isAt("midnight-ist", atMs - nudge));
          marks.sometimes(`minute ${nudge}`, isAt("minute", atMs - nudge));
        }
        const statuses = exchanges.map(({ response }) => response.status);
        marks.sometimes("a click in time", event.kind === "click" && statuses[0] === 200);
        marks.sometimes("a late click", event.kind === "click" && statuses[0] === 410);
        marks.sometimes("a second click", event.kind === "click" && statuses[0] === 409);
        marks.sometimes("a duplicate", event.kind === "repeat" && statuses[0] === 409);
        marks.sometimes("a repeat that counts", event.kind === "repeat" && statuses[0] === 200);
        marks.sometimes("the limit reached", statuses.length >= 60 && !statuses.includes(429));
        marks.sometimes("the limit exceeded", statuses.includes(429));
      }
    }
    marks.expectReached();
  });

  test.each(["json", "form", "query"] as const)(
    "are sent as %s if the service reads only that",
    (encoding) => {
      const sim = createSimulator({ ...options, assumptions: { "request.encoding": encoding } });
      const trace: TraceEvent[] = [
        { kind: "impression", publisher: 7, surface: 9, ad: "a b", session: "s" },
        { kind: "repeat", ago: 3 },
        { kind: "click", ago: 0 },
        { kind: "read", publisher: 1, times: 2 },
        { kind: "wait", byMs: 5 },
      ];
      const steps = playTrace(sim, trace);
      const statuses = steps.map(({ exchanges }) =>
        exchanges.map(({ response }) => response.status),
      );
      expect(statuses).toEqual([[200], [200], [200], [200, 200], []]);
      expect(sim.usage().impressions).toBe(1);
      expect(steps.at(-1)?.atMs).toBe(sim.clock.now());
    },
  );

  test("play the same again, and skip events that don't apply", () => {
    const [trace = []] = fc.sample(arbitraryTrace({ minLength: 12 }), { seed: 3, numRuns: 1 });
    const play = (): unknown => playTrace(createSimulator(options), trace);
    expect(play()).toEqual(play());
    const [step] = playTrace(createSimulator(options), [{ kind: "click", ago: 0 }]);
    expect(step?.exchanges).toEqual([]);
  });

  test("shrink to few events and the shortest wait that shows it", () => {
    const late = (trace: readonly TraceEvent[]): boolean => {
      const sim = createSimulator({ ...options, assumptions: { "click.window": "24h" } });
      const steps = playTrace(sim, trace);
      return steps.some(({ exchanges }) =>
        exchanges.some(({ response }) => response.status === 410),
      );
    };
    const found = shrunk(arbitraryTrace(), late);
    expect(found.map(({ kind }) => kind)).toEqual(["impression", "wait", "click"]);
    expect(found[1]).toMatchObject({ byMs: DAY_MS });
    const twice = (trace: readonly TraceEvent[]): boolean =>
      trace.filter(({ kind }) => kind === "click").length > 1;
    expect(shrunk(arbitraryTrace(), twice)).toEqual([
      { kind: "click", ago: 0 },
      { kind: "click", ago: 0 },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["an unknown kind", { kind: "shout" }, "trace.1.kind must be impression, "],
    [
      "a missing publisher",
      { kind: "impression", surface: 0, ad: "a" },
      "trace.1.publisher must be a whole",
    ],
    ["time that goes back", { kind: "wait", byMs: -1 }, "trace.1.duration"],
  ])("refuse %s by its place", (_, event, message) => {
    const trace = [{ kind: "wait", byMs: 1 }, event] as TraceEvent[];
    expect(() => playTrace(createSimulator(options), trace)).toThrow(InputError);
    expect(() => playTrace(createSimulator(options), trace)).toThrow(message);
  });
});

const anything = (make: unknown): ((options: object) => unknown) =>
  make as (options: object) => unknown;

test.each<[string, (options: object) => unknown, object, string]>([
  ["clock", anything(arbitraryClockPlan), { start: "today" }, "start must be an instant"],
  ["clock", anything(arbitraryClockPlan), { start: "1960-01-01" }, "start must be an instant"],
  [
    "clock",
    anything(arbitraryClockPlan),
    { minLength: 9 },
    "minLength must not be above maxLength",
  ],
  ["clock", anything(arbitraryClockPlan), { edges: ["noon"] }, "edges.0 must be one of minute"],
  ["clock", anything(arbitraryClockPlan), { lenght: 3 }, "lenght is not known here."],
  ["fault", anything(arbitraryFaultPlan), { kinds: ["explode"] }, "kinds.0 must be one of drop"],
  ["fault", anything(arbitraryFaultPlan), { kinds: [] }, "kinds must not be an empty list."],
  [
    "fault",
    anything(arbitraryFaultPlan),
    { longestDelayMs: 1e9 },
    "longestDelayMs must be at most",
  ],
  ["fault", anything(arbitraryFaultRule), { mostTimes: 0 }, "mostTimes must be a whole number"],
  ["publisher", anything(arbitraryPublisher), {}, "sim"],
  ["trace", anything(arbitraryTrace), { publishers: 0 }, "publishers must be a whole number"],
  ["trace", anything(arbitraryTrace), { sim: "sim" }, "sim must be a simulator"],
])("options are refused by name: %s %#", (_, make, options, message) => {
  expect(() => make(options)).toThrow(InputError);
  expect(() => make(options)).toThrow(message);
});
