/** The three clock modes on a wall clock that the test moves, sometimes backwards. */

import { describe, expect, test } from "vitest";
import { createClock } from "../../src/base/clock.ts";
import { createSimulator, InputError } from "../../src/index.ts";

const START = Date.parse("2026-01-15T00:00:00Z");

function wall(atMs: number): { nowMs: number; read(): number } {
  const clock = { nowMs: atMs, read: () => clock.nowMs };
  return clock;
}

describe("a frozen clock", () => {
  test("moves only by advance, and advance(a); advance(b) equals advance(a + b)", () => {
    const real = wall(5);
    const [clock, other] = [
      createClock("frozen", START, real.read),
      createClock("frozen", START, undefined),
    ];
    real.nowMs += 1_000_000;
    expect(clock.now()).toBe(START);
    clock.advance("90s");
    clock.advance(7);
    expect(other.advance(90_007)).toBe(clock.now());
  });

  test("refuses to go back or past the year 9999, and stays where it was", () => {
    const clock = createClock("frozen", START, undefined);
    for (const change of [
      () => clock.advance(-1),
      () => clock.advance("1000000000000d"),
      () => clock.advance(Date.parse("9999-12-31T18:29:59.999Z") - START + 1),
      () => clock.set({ nowMs: START - 1 }),
      () => clock.set({ nowMs: Number.NaN }),
      () => clock.set({ mode: "flowing" }),
      () => clock.set({ mode: "system" }),
    ]) {
      expect(change).toThrow(InputError);
      expect([clock.now(), clock.mode]).toEqual([START, "frozen"]);
    }
    expect(clock.advance(Date.parse("9999-12-31T18:29:59.999Z") - START)).toBe(253_402_280_999_999);
  });
});

describe("a flowing clock", () => {
  test("starts at the given time and runs with elapsed time", () => {
    const real = wall(1_000);
    const clock = createClock("flowing", START, real.read);
    real.nowMs += 250;
    expect(clock.now()).toBe(START + 250);
    clock.advance("1m");
    real.nowMs += 1;
    expect(clock.now()).toBe(START + 60_251);
  });

  test("doesn't run backwards when the wall clock is set back", () => {
    const real = wall(1_000);
    const clock = createClock("flowing", START, real.read);
    real.nowMs += 500;
    expect(clock.now()).toBe(START + 500);
    real.nowMs -= 400;
    expect(clock.now()).toBe(START + 500);
    real.nowMs += 401;
    expect(clock.now()).toBe(START + 501);
  });

  test("can be frozen, and later goes on from there", () => {
    const real = wall(0);
    const clock = createClock("flowing", START, real.read);
    real.nowMs = 10;
    clock.set({ mode: "frozen" });
    real.nowMs = 10_000;
    expect(clock.now()).toBe(START + 10);
    clock.set({ mode: "flowing" });
    real.nowMs += 5;
    expect(clock.now()).toBe(START + 15);
  });

  test("counts whole milliseconds, even if the wall clock gives fractions", () => {
    const real = wall(0.25);
    const clock = createClock("flowing", START, real.read);
    real.nowMs = 7.9;
    expect(clock.now()).toBe(START + 7);
  });
});

describe("the system clock", () => {
  test("starts at the wall clock's time and follows it; advance adds to it", () => {
    const real = wall(Date.parse("2026-11-21T10:00:00Z"));
    const sim = createSimulator({ clock: "system", wallClock: real.read });
    expect(sim.clock.now()).toBe(real.nowMs);
    real.nowMs += 86_400_000;
    expect(sim.clock.now()).toBe(real.nowMs);
    sim.clock.advance("1h");
    expect(sim.clock.now()).toBe(real.nowMs + 3_600_000);
  });

  test("is refused without a wall clock, or with a start later than the wall clock", () => {
    expect(() => createSimulator({ clock: "system" })).toThrow(/wallClock/);
    const wallClock = wall(START).read;
    const start = "2026-01-15T00:00:00.001Z";
    expect(() => createSimulator({ clock: "system", wallClock, start })).toThrow(/start/);
  });
});

describe("an invalid change of the clock", () => {
  const wrong: readonly [field: string, change: unknown][] = [
    ["nowMs", { nowMs: START + 0.5 }],
    ["nowMs", { nowMs: Number.NaN }],
    ["nowMs", { nowMs: Number.POSITIVE_INFINITY }],
    ["nowMs", { nowMs: "2027-01-01T00:00:00Z" }],
    ["mode", { mode: "bogus" }],
    ["mode", { mode: "bogus", nowMs: START + 1 }],
    ["now", { now: START + 1 }],
    ["change", {}],
    ["change", []],
    ["change", { mode: undefined }],
  ];

  test.each(wrong)("is refused with an error that names %s: %o", (field, change) => {
    const sim = createSimulator({ clock: "flowing", wallClock: () => 0 });
    expect(() => sim.clock.set(change as { nowMs: number })).toThrow(InputError);
    expect(() => sim.clock.set(change as { nowMs: number })).toThrow(new RegExp(`^${field} `));
    expect([sim.clock.now(), sim.clock.mode]).toEqual([START, "flowing"]);
    expect(sim.fork().clock.now()).toBe(START);
  });

  test.each([[1.5], [Number.NaN], [Number.POSITIVE_INFINITY], ["1.5s"], [null], [undefined]])(
    "is refused by advance: %s",
    (by) => {
      const sim = createSimulator();
      expect(() => sim.clock.advance(by as number)).toThrow(InputError);
      expect(sim.clock.now()).toBe(START);
    },
  );
});

describe("a wall clock without a usable time", () => {
  test.each([
    ["not a function", 5],
    ["NaN", () => Number.NaN],
    ["a string", () => "2026-01-15"],
    ["a date", () => new Date(START)],
  ])("is refused with an error that names wallClock: %s", (_, given) => {
    const wallClock = given as () => number;
    for (const clock of ["flowing", "system"] as const) {
      expect(() => createSimulator({ clock, wallClock })).toThrow(InputError);
      expect(() => createSimulator({ clock, wallClock })).toThrow(/^wallClock must/);
    }
  });

  test.each([-1, 253_402_300_800_000])("can't be a world's system clock: %d", (wallMs) => {
    const wallClock = (): number => wallMs;
    expect(() => createSimulator({ clock: "system", wallClock })).toThrow(/^wallClock must/);
  });

  test("is refused only when it is first needed", () => {
    const sim = createSimulator({ wallClock: () => Number.NaN });
    expect(() => sim.clock.set({ mode: "flowing" })).toThrow(/^wallClock must/);
    expect(sim.clock.mode).toBe("frozen");
  });
});
