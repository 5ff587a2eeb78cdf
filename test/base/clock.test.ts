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

describe("a simulator is refused", () => {
  test.each([
    ["no function", 5],
    ["one that gives NaN", () => Number.NaN],
    ["one that gives a string", () => "2026-01-15"],
    ["one that gives a date", () => new Date(START)],
  ])("with a wall clock that is %s", (_, given) => {
    const wallClock = given as () => number;
    for (const clock of ["flowing", "system"] as const)
      expect(() => createSimulator({ clock, wallClock })).toThrow(/^wallClock must/);
  });

  test.each<[string, Parameters<typeof createSimulator>[0], RegExp]>([
    ["no wall clock", {}, /wallClock/],
    ["a time before 1970", { wallClock: () => -1 }, /^wallClock must/],
    ["a time after 9999", { wallClock: () => 253_402_300_800_000 }, /^wallClock must/],
    ["a start in the future", { wallClock: () => START, start: "2026-01-15T00:00:01Z" }, /start/],
  ])("with a system clock and %s", (_, options, message) => {
    expect(() => createSimulator({ clock: "system", ...options })).toThrow(message);
  });
});
