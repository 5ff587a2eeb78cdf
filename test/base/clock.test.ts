/** The three clock modes on a wall clock that the test moves, sometimes backwards. */

import { describe, expect, test } from "vitest";
import { type ClockMode, createClock } from "../../src/base/clock.ts";
import { createSimulator, InputError } from "../../src/index.ts";

const START = Date.parse("2026-01-15T00:00:00Z");
const LAST = Date.parse("9999-12-31T18:29:59.999Z");

/** A clock, and a function that moves the real time. */
function clockOf(mode: ClockMode, wallMs = START) {
  let realMs = wallMs;
  const clock = createClock(mode, START, () => realMs);
  return { clock, passes: (ms: number) => (realMs += ms) };
}

test("a frozen clock moves only by advance, and advance(a); advance(b) equals advance(a + b)", () => {
  const { clock, passes } = clockOf("frozen");
  passes(1_000_000);
  expect(clock.now()).toBe(START);
  clock.advance("90s");
  clock.advance(7);
  expect(clockOf("frozen").clock.advance(90_007)).toBe(clock.now());
});

test("a clock reaches the end of the year 9999 in India, and goes no further", () => {
  const { clock } = clockOf("frozen");
  expect(() => clock.advance(LAST - START + 1)).toThrow(InputError);
  expect(clock.advance(LAST - START)).toBe(LAST);
});

test("a flowing clock starts at the given time and runs in whole milliseconds with elapsed time", () => {
  const { clock, passes } = clockOf("flowing", 1000.25);
  passes(250.5);
  expect(clock.now()).toBe(START + 250);
  clock.advance("1m");
  passes(1);
  expect(clock.now()).toBe(START + 60_251);
});

test("a flowing clock doesn't run backwards when the wall clock is set back", () => {
  const { clock, passes } = clockOf("flowing");
  const shown = [500, -400, 401].map((ms) => passes(ms) && clock.now() - START);
  expect(shown).toEqual([500, 500, 501]);
});

test("a flowing clock can be frozen, and later goes on from there", () => {
  const { clock, passes } = clockOf("flowing");
  passes(10);
  clock.set({ mode: "frozen" });
  passes(9990);
  expect(clock.now()).toBe(START + 10);
  clock.set({ mode: "flowing" });
  passes(5);
  expect(clock.now()).toBe(START + 15);
});

test("a system clock starts at the wall clock's time and follows it; advance adds to it", () => {
  let realMs = Date.parse("2026-11-21T10:00:00Z");
  const { clock } = createSimulator({ clock: "system", wallClock: () => realMs });
  expect(clock.now()).toBe(realMs);
  realMs += 86_400_000;
  expect(clock.now()).toBe(realMs);
  clock.advance("1h");
  expect(clock.now()).toBe(realMs + 3_600_000);
});

describe("refused, and the clock stays as it was", () => {
  test.each<[field: string, change: unknown]>([
    ["nowMs", { nowMs: START + 0.5 }],
    ["nowMs", { nowMs: Number.NaN }],
    ["nowMs", { nowMs: Number.POSITIVE_INFINITY }],
    ["nowMs", { nowMs: "2027-01-01T00:00:00Z" }],
    ["now", { nowMs: START - 1 }],
    ["now", { nowMs: LAST + 1 }],
    ["mode", { mode: "bogus", nowMs: START + 1 }],
    ["now", { now: START + 1 }],
    ["change", {}],
    ["change", []],
    ["change", { mode: undefined }],
  ])("set, with an error that names %s: %o", (field, change) => {
    const sim = createSimulator({ clock: "flowing", wallClock: () => 0 });
    const set = (): void => sim.clock.set(change as { nowMs: number });
    expect(set).toThrow(InputError);
    expect(set).toThrow(new RegExp(`^${field} `));
    expect([sim.clock.now(), sim.clock.mode]).toEqual([START, "flowing"]);
    expect(sim.fork().clock.now()).toBe(START);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1.5s", null, undefined])(
    "advance: %s",
    (by) => {
      const sim = createSimulator();
      expect(() => sim.clock.advance(by as number)).toThrow(InputError);
      expect(sim.clock.now()).toBe(START);
    },
  );

  test("a mode that needs real time, without a usable wall clock", () => {
    for (const wallClock of [undefined, () => Number.NaN]) {
      const sim = createSimulator({ wallClock });
      for (const mode of ["flowing", "system"] as const)
        expect(() => sim.clock.set({ mode })).toThrow(/wallClock/);
      expect([sim.clock.now(), sim.clock.mode]).toEqual([START, "frozen"]);
    }
  });
});

test.each<[string, clock: ClockMode, wallClock: unknown, RegExp]>([
  ["no wall clock", "system", undefined, /wallClock/],
  ["a wall clock that is no function", "flowing", 5, /^wallClock must/],
  ["a wall clock that gives NaN", "flowing", () => Number.NaN, /^wallClock must/],
  ["a wall clock that gives a string", "flowing", () => "2026-01-15", /^wallClock must/],
  ["a wall clock that gives a date", "system", () => new Date(START), /^wallClock must/],
  ["a time before 1970", "system", () => -1, /^wallClock must/],
  ["a time after 9999", "system", () => 253_402_300_800_000, /^wallClock must/],
  ["a start in the future", "system", () => START - 1, /start/],
])("a simulator with %s is refused", (_, clock, wallClock, message) => {
  const start = "2026-01-15T00:00:00Z";
  const create = () => createSimulator({ clock, start, wallClock: wallClock as () => number });
  expect(create).toThrow(InputError);
  expect(create).toThrow(message);
});
