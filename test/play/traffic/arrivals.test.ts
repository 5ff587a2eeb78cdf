import fc from "fast-check";
import { expect, test } from "vitest";
import { exponentials, parseRate, plannedArrivals } from "../../../src/play/traffic/arrivals.ts";
import type { Arrivals } from "../../../src/play/traffic/traffic.ts";
import { runsOf } from "../../budget.ts";
import { START_MS, timesOf } from "./orders.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function within(times: readonly number[], fromMs: number, toMs: number): number {
  return times.filter((dueMs) => dueMs >= fromMs && dueMs < toMs).length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const perSecond = fc.integer({ min: 1, max: 50 }).map((count) => `${count}/s`);
const spacing = fc.constantFrom("even" as const, "poisson" as const);
const anyArrivals: fc.Arbitrary<Arrivals> = fc.oneof(
  fc.record({ kind: fc.constantFrom("constant" as const, "poisson" as const), rate: perSecond }),
  fc.record({ kind: fc.constant("ramp" as const), from: perSecond, to: perSecond, spacing }),
  fc.record({ kind: fc.constant("daily" as const), mean: perSecond, spacing }),
  fc.record({
    kind: fc.constant("burst" as const),
    count: fc.integer({ min: 1, max: 50 }),
    every: fc.integer({ min: 500, max: 20_000 }),
    within: fc.integer({ min: 0, max: 500 }),
  }),
);

test("whole milliseconds in order, before the end, as many as planned at most, the same again", () => {
  const forMs = fc.integer({ min: 1, max: 20_000 });
  const startMs = fc.integer({ min: START_MS, max: START_MS + DAY_MS });
  fc.assert(
    fc.property(anyArrivals, forMs, startMs, (arrivals, lasting, start) => {
      const times = timesOf(arrivals, lasting, start);
      expect(times.every(Number.isInteger)).toBe(true);
      expect(times).toEqual(times.toSorted((left, right) => left - right));
      expect(times[0] ?? 0).toBeGreaterThanOrEqual(0);
      expect(times.at(-1) ?? 0).toBeLessThan(lasting);
      expect(times.length).toBeLessThanOrEqual(plannedArrivals({ for: lasting, arrivals }));
      expect(timesOf(arrivals, lasting, start)).toEqual(times);
    }),
    { numRuns: runsOf(300, 100) },
  );
});

test.each<[Arrivals, number, number]>([
  [{ kind: "constant", rate: "133.5/s" }, 10 * SECOND_MS, 1335],
  [{ kind: "constant", rate: "7/d" }, 3 * DAY_MS, 21],
  [{ kind: "constant", rate: "3/m" }, 30 * SECOND_MS, 2],
  [{ kind: "constant", rate: "1/d" }, 1, 1],
  [{ kind: "ramp", from: "0/s", to: "100/s" }, 10 * SECOND_MS, 500],
  [{ kind: "ramp", from: "100/s", to: "0/s" }, 10 * SECOND_MS, 500],
  [{ kind: "daily", mean: "10/m" }, DAY_MS, 14_400],
  [{ kind: "burst", count: 4 }, MINUTE_MS, 4],
  [{ kind: "burst", count: 4, every: "10s" }, MINUTE_MS, 24],
  [{ kind: "trace", atMs: [1, 2, 3] }, MINUTE_MS, 3],
])("%o over %i ms are exactly %i arrivals", (arrivals, forMs, count) => {
  for (const startMs of [START_MS, START_MS + 5 * HOUR_MS + 1_234_567]) {
    expect(timesOf(arrivals, forMs, startMs)).toHaveLength(count);
  }
  expect(plannedArrivals({ for: forMs, arrivals })).toBe(count);
});

// How many are expected before a time, in millionths, which are whole numbers.
test.each<[Arrivals, number, (ms: number) => number]>([
  [{ kind: "constant", rate: "8000/m" }, 15 * SECOND_MS, (ms) => (ms * 1e6) / 7.5],
  [{ kind: "constant", rate: "3/s" }, 600 * SECOND_MS, (ms) => ms * 3000],
  [{ kind: "ramp", from: "0/s", to: "100/s" }, 10 * SECOND_MS, (ms) => 5 * ms * ms],
  [{ kind: "ramp", from: "100/s", to: "0/s" }, 10 * SECOND_MS, (ms) => 1e5 * ms - 5 * ms * ms],
])("%o: each comes in the millisecond in which it is due", (arrivals, forMs, expectedBefore) => {
  timesOf(arrivals, forMs).forEach((dueMs, k) => {
    expect(Math.floor(expectedBefore(dueMs))).toBeLessThanOrEqual(k * 1e6);
    expect(Math.ceil(expectedBefore(dueMs + 1))).toBeGreaterThan(k * 1e6);
  });
});

test.each(["even", "poisson"] as const)("daily, %s: follows the hour in UTC", (how) => {
  const hours = Array.from({ length: 24 }, (_, hour) => (hour === 6 ? 24 : 0));
  const daily = (startMs: number): number[] =>
    timesOf({ kind: "daily", mean: "10000/d", hours, spacing: how }, DAY_MS, startMs);
  // A triangle of two hours around half past six.
  const fromMidnight = daily(START_MS);
  const all = fromMidnight.length;
  expect(Math.abs(all - 10_000)).toBeLessThan(how === "even" ? 1 : 500);
  expect(within(fromMidnight, 5.5 * HOUR_MS, 7.5 * HOUR_MS)).toBe(all);
  expect(within(fromMidnight, 0, 6.5 * HOUR_MS) / all).toBeCloseTo(0.5, 1);
  const later = daily(START_MS + 6.5 * HOUR_MS);
  expect(within(later, 0, HOUR_MS) + within(later, 23 * HOUR_MS, DAY_MS)).toBe(later.length);
});

test("a usual day at 80 % of a limit has no minute that goes over it", () => {
  const times = timesOf({ kind: "daily", mean: "80/m" }, DAY_MS);
  const minutes = times.slice(100).map((dueMs, place) => dueMs - (times[place] ?? 0));
  const shortestMs = minutes.reduce((least, ms) => Math.min(least, ms), DAY_MS);
  expect(shortestMs).toBeGreaterThanOrEqual(MINUTE_MS);
  expect(shortestMs).toBeLessThan(1.1 * MINUTE_MS);
});

test("Poisson: counts have the mean and the variance of their rate, and follow a ramp", () => {
  const windows = 2000;
  const times = timesOf({ kind: "poisson", rate: "50/s" }, windows * SECOND_MS);
  const byWindow = Map.groupBy(times, (dueMs) => Math.floor(dueMs / SECOND_MS));
  const counts = Array.from({ length: windows }, (_, at) => byWindow.get(at)?.length ?? 0);
  const middle = mean(counts);
  const variance = mean(counts.map((count) => (count - middle) ** 2));
  // Five standard deviations of each.
  expect(Math.abs(middle - 50)).toBeLessThan(5 * Math.sqrt(50 / windows));
  expect(Math.abs(variance / 50 - 1)).toBeLessThan(5 * Math.sqrt(2 / windows));

  const ramp: Arrivals = { kind: "ramp", from: "0/s", to: "200/s", spacing: "poisson" };
  const rising = timesOf(ramp, 100 * SECOND_MS);
  expect(Math.abs(within(rising, 0, 50 * SECOND_MS) - 2500)).toBeLessThan(250);
  expect(timesOf(ramp, 100 * SECOND_MS, START_MS, 5)).not.toEqual(rising);
});

test("Poisson: the gaps between arrivals are exponential", () => {
  const draws = exponentials({ a: 7, b: 11 });
  const sorted = Array.from({ length: 50_000 }, () => Number(draws.next().value)).sort(
    (left, right) => left - right,
  );
  const apart = sorted.map((draw, place) =>
    Math.abs(1 - Math.exp(-draw) - (place + 0.5) / sorted.length),
  );
  // Kolmogorov and Smirnov: one in a thousand seeds is further away than this.
  expect(Math.max(...apart)).toBeLessThan(1.95 / Math.sqrt(sorted.length));
});

test("bursts are spread over the given time, and a trace comes as given", () => {
  const burst: Arrivals = { kind: "burst", count: 3, every: "10s", within: "1s" };
  expect(timesOf(burst, 20_500)).toEqual([0, 333, 666, 10_000, 10_333, 10_666, 20_000, 20_333]);
  const atMs = [0, 5, 5, 7.9, 100, 99_999];
  expect(timesOf({ kind: "trace", atMs }, 100_000)).toEqual([0, 5, 5, 7, 100, 99_999]);
});

test("plans include clicks, and absurd ones are counted at once", () => {
  const busy = { for: "24h", arrivals: { kind: "daily", mean: "8000/m" } } as const;
  expect(plannedArrivals(busy)).toBe(11_520_000);
  const clicked = plannedArrivals({ ...busy, clicks: { rate: 0.01 } });
  expect(clicked).toBeGreaterThan(11_635_000);
  expect(clicked).toBeLessThan(11_650_000);
  expect(plannedArrivals({ ...busy, clicks: { rate: 1 } })).toBe(23_040_000);
  const arrivals: Arrivals = { kind: "poisson", rate: "999999999999/s" };
  expect(plannedArrivals({ for: "365000d", arrivals })).toBeGreaterThan(1e22);
});

test("parseRate reads rates per second, minute, hour or day", () => {
  const rates = ["8000/m", "133.5/s", "36/h", "86400000/d", "0/s"].map(parseRate);
  expect(rates).toEqual([8000 / 60_000, 0.1335, 0.00001, 1, 0]);
});
