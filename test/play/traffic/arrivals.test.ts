import { describe, expect, test } from "vitest";
import { plannedArrivals } from "../../../src/play/traffic/arrival-pattern.ts";
import { createExponentials, createSchedule } from "../../../src/play/traffic/arrivals.ts";
import { parseRate } from "../../../src/play/traffic/rate.ts";
import { squareRoot } from "../../../src/play/traffic/square-root.ts";
import type { Arrivals } from "../../../src/play/traffic/traffic.ts";
import { countsBy, START_MS, timesOf } from "./orders.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The count and the last one, without keeping them all. */
function countOf(arrivals: Arrivals, forMs: number, startMs = START_MS) {
  const next = createSchedule({ arrivals, forMs, startMs, key: { a: 1, b: 2 } });
  let count = 0;
  let lastMs = -1;
  let isInOrder = true;
  for (let dueMs = next(); dueMs < Number.POSITIVE_INFINITY; dueMs = next()) {
    if (dueMs < lastMs) isInOrder = false;
    lastMs = dueMs;
    count += 1;
  }
  return { count, lastMs, isInOrder };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
}

describe("even spacing", () => {
  test("8,000 a minute are 11,520,000 in a day, the last one on time", () => {
    const found = countOf({ kind: "constant", rate: "8000/m" }, DAY_MS);
    expect(found).toEqual({ count: 11_520_000, lastMs: DAY_MS - 8, isInOrder: true });
  });

  test("a day of mean 8,000 a minute has 11,520,000, whenever it starts", () => {
    const arrivals: Arrivals = { kind: "daily", mean: "8000/m" };
    const found = countOf(arrivals, DAY_MS, START_MS + 5 * HOUR_MS + 1_234_567);
    expect(found).toMatchObject({ count: 11_520_000, isInOrder: true });
  });

  test.each([
    ["133.5/s", 10 * SECOND_MS, 1335],
    ["0.1/s", 30 * SECOND_MS, 3],
    ["500/h", DAY_MS, 12_000],
    ["7/d", 3 * DAY_MS, 21],
    ["3/m", 30 * SECOND_MS, 2],
    ["1/d", 1, 1],
  ])("%s over %i ms gives %i arrivals", (rate, forMs, count) => {
    expect(timesOf({ kind: "constant", rate }, forMs)).toHaveLength(count);
  });

  test("each arrival at a constant rate comes in the millisecond in which it is due", () => {
    for (const [rate, everyMs] of [
      ["8000/m", 7.5],
      ["3/s", 1000 / 3],
      ["1/d", DAY_MS],
    ] as const) {
      const times = timesOf({ kind: "constant", rate }, 2000 * everyMs);
      const due = Array.from({ length: 2000 }, (_, k) =>
        Math.floor(Number((k * everyMs).toFixed(6))),
      );
      expect(times).toEqual(due);
    }
  });

  test("a ramp follows its line exactly, up and down", () => {
    const forMs = 10 * SECOND_MS;
    const up = timesOf({ kind: "ramp", from: "0/s", to: "100/s" }, forMs);
    const down = timesOf({ kind: "ramp", from: "100/s", to: "0/s" }, forMs);
    expect([up.length, down.length]).toEqual([500, 500]);
    // In millionths of an arrival, which are whole numbers.
    const risen = (ms: number): number => 5 * ms * ms;
    const fallen = (ms: number): number => 100_000 * ms - 5 * ms * ms;
    up.forEach((dueMs, k) => {
      expect(risen(dueMs)).toBeLessThanOrEqual(k * 1e6);
      expect(risen(dueMs + 1)).toBeGreaterThan(k * 1e6);
    });
    down.forEach((dueMs, k) => {
      expect(fallen(dueMs)).toBeLessThanOrEqual(k * 1e6);
      expect(fallen(dueMs + 1)).toBeGreaterThan(k * 1e6);
    });
  });
});

describe("daily", () => {
  const hours = Array.from({ length: 24 }, (_, hour) => (hour === 6 ? 24 : 0));

  test("follows the hour of the day in UTC at which it starts", () => {
    const daily = (startMs: number): number[] =>
      timesOf({ kind: "daily", mean: "1000/d", hours }, DAY_MS, startMs);
    // A triangle of two hours around half past six.
    const fromMidnight = daily(START_MS);
    expect(fromMidnight).toHaveLength(1000);
    expect(fromMidnight[0]).toBe(5.5 * HOUR_MS);
    expect(fromMidnight.filter((dueMs) => dueMs < 6.5 * HOUR_MS)).toHaveLength(500);
    expect(fromMidnight.at(-1)).toBeLessThan(7.5 * HOUR_MS);
    expect(daily(START_MS + 3 * HOUR_MS)[0]).toBe(2.5 * HOUR_MS);
    const fromItsMiddle = daily(START_MS + 6.5 * HOUR_MS);
    expect(fromItsMiddle.filter((dueMs) => dueMs < HOUR_MS)).toHaveLength(500);
    expect(fromItsMiddle.filter((dueMs) => dueMs >= 23 * HOUR_MS)).toHaveLength(500);
  });

  test("the usual day adds up to its mean, and its peak stays below 1.2 times that", () => {
    const times = timesOf({ kind: "daily", mean: "100/m" }, 2 * DAY_MS);
    expect(times).toHaveLength(288_000);
    const byMinute = countsBy(times, MINUTE_MS, 2 * DAY_MS);
    expect(Math.max(...byMinute)).toBeLessThanOrEqual(120);
    expect(Math.max(...byMinute)).toBeGreaterThan(115);
    expect(Math.min(...byMinute)).toBeLessThan(75);
    expect(byMinute.slice(0, 1440)).toEqual(byMinute.slice(1440));
  });

  test("at 80 % of a limit no window of a minute goes over it", () => {
    const next = createSchedule({
      arrivals: { kind: "daily", mean: "8000/m" },
      forMs: 2 * HOUR_MS,
      startMs: START_MS + 10 * HOUR_MS,
      key: { a: 1, b: 2 },
    });
    const last = new Float64Array(10_000).fill(-MINUTE_MS);
    let shortestMs = Number.POSITIVE_INFINITY;
    let count = 0;
    for (let dueMs = next(); dueMs < Number.POSITIVE_INFINITY; dueMs = next()) {
      shortestMs = Math.min(shortestMs, dueMs - (last[count % 10_000] ?? 0));
      last[count % 10_000] = dueMs;
      count += 1;
    }
    expect(count).toBeGreaterThan(1_100_000);
    expect(shortestMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  test("Poisson spacing follows the curve too", () => {
    const arrivals: Arrivals = { kind: "daily", mean: "48000/d", hours, spacing: "poisson" };
    const times = timesOf(arrivals, DAY_MS);
    expect(Math.abs(times.length - 48_000)).toBeLessThan(1000);
    const inTriangle = times.filter((dueMs) => dueMs >= 5.5 * HOUR_MS && dueMs < 7.5 * HOUR_MS);
    expect(inTriangle).toHaveLength(times.length);
  });
});

describe("Poisson", () => {
  test("counts have the mean and the variance of their rate", () => {
    const windows = 4000;
    const times = timesOf({ kind: "poisson", rate: "50/s" }, windows * SECOND_MS);
    const counts = countsBy(times, SECOND_MS, windows * SECOND_MS);
    // Five standard deviations of each.
    expect(Math.abs(mean(counts) - 50)).toBeLessThan((5 * Math.sqrt(50)) / Math.sqrt(windows));
    expect(Math.abs(variance(counts) / 50 - 1)).toBeLessThan(5 * Math.sqrt(2 / windows));
  });

  test("the gaps between arrivals are exponential, and neighbours are uncorrelated", () => {
    const next = createExponentials({ a: 7, b: 11 });
    const draws = Array.from({ length: 50_000 }, next);
    const apart = draws
      .toSorted((left, right) => left - right)
      .map((draw, place) => Math.abs(1 - Math.exp(-draw) - (place + 0.5) / draws.length));
    // Kolmogorov and Smirnov: one in a thousand seeds is further away than this.
    expect(Math.max(...apart)).toBeLessThan(1.95 / Math.sqrt(draws.length));
    const pairs = draws.slice(1).map((draw, place) => (draw - 1) * ((draws[place] ?? 0) - 1));
    expect(Math.abs(mean(pairs))).toBeLessThan(5 / Math.sqrt(pairs.length));
  });

  test("another key draws other arrivals", () => {
    const arrivals: Arrivals = { kind: "poisson", rate: "10/s" };
    expect(timesOf(arrivals, MINUTE_MS)).toEqual(timesOf(arrivals, MINUTE_MS));
    expect(timesOf(arrivals, MINUTE_MS)).not.toEqual(timesOf(arrivals, MINUTE_MS, START_MS, 5));
  });

  test("a ramp can have Poisson spacing", () => {
    const arrivals: Arrivals = { kind: "ramp", from: "0/s", to: "200/s", spacing: "poisson" };
    const times = timesOf(arrivals, 100 * SECOND_MS);
    const [first = 0, second = 0] = countsBy(times, 50 * SECOND_MS, 100 * SECOND_MS);
    expect(Math.abs(first - 2500)).toBeLessThan(250);
    expect(Math.abs(second - 7500)).toBeLessThan(450);
  });
});

describe("bursts and traces", () => {
  test("a burst comes once, at the start, all at one instant", () => {
    expect(timesOf({ kind: "burst", count: 4 }, MINUTE_MS)).toEqual([0, 0, 0, 0]);
  });

  test("bursts come at each interval's start, spread over the given time, until the end", () => {
    const arrivals: Arrivals = { kind: "burst", count: 3, every: "10s", within: "1s" };
    expect(timesOf(arrivals, 20_500)).toEqual([
      0, 333, 666, 10_000, 10_333, 10_666, 20_000, 20_333,
    ]);
  });

  test("a trace comes as given, floored to milliseconds, until the end", () => {
    const atMs = [0, 5, 5, 7.9, 100, 99_999, 100_000, 100_001];
    expect(timesOf({ kind: "trace", atMs }, 100_000)).toEqual([0, 5, 5, 7, 100, 99_999]);
  });
});

describe("plans", () => {
  const everyKind: readonly Arrivals[] = [
    { kind: "constant", rate: "133.5/s" },
    { kind: "ramp", from: "3/s", to: "20/s" },
    { kind: "ramp", from: "9/s", to: "0/s", spacing: "poisson" },
    { kind: "poisson", rate: "0.5/s" },
    { kind: "poisson", rate: "50/s" },
    { kind: "daily", mean: "3/s" },
    { kind: "daily", mean: "3/s", spacing: "poisson" },
    { kind: "burst", count: 7, every: "30s", within: "30s" },
    { kind: "trace", atMs: [1, 2, 3] },
  ];

  test.each(everyKind)(
    "no more arrive than planned, and at least about a quarter: %o",
    (arrivals) => {
      const planned = plannedArrivals({ for: "100s", arrivals });
      const come = timesOf(arrivals, 100 * SECOND_MS, START_MS + 10 * HOUR_MS).length;
      expect(come).toBeLessThanOrEqual(planned);
      expect(come).toBeGreaterThan(planned / 4 - 20);
    },
  );

  test("are exact for even arrivals, and include clicks", () => {
    const busy = { for: "24h", arrivals: { kind: "daily", mean: "8000/m" } } as const;
    expect(plannedArrivals(busy)).toBe(11_520_000);
    const clicked = plannedArrivals({ ...busy, clicks: { rate: 0.01 } });
    expect(clicked).toBeGreaterThan(11_635_000);
    expect(clicked).toBeLessThan(11_640_000);
    expect(plannedArrivals({ ...busy, clicks: { rate: 1 } })).toBe(23_040_000);
    expect(plannedArrivals({ ...busy, clicks: { rate: 1 }, mix: { stats: 1 } })).toBe(11_520_000);
  });

  test("of absurd size are counted at once", () => {
    const arrivals: Arrivals = { kind: "poisson", rate: "999999999999/s" };
    expect(plannedArrivals({ for: "365000d", arrivals })).toBeGreaterThan(1e22);
  });
});

describe("parseRate", () => {
  test("reads rates per second, minute, hour or day, and nothing else", () => {
    expect(["8000/m", "133.5/s", "36/h", "86400000/d", "0/s"].map(parseRate)).toEqual([
      8000 / 60_000,
      0.1335,
      0.00001,
      1,
      0,
    ]);
    for (const text of [
      "8000",
      "8000/min",
      "-1/s",
      "1e3/s",
      " 1/s",
      "1/ms",
      ".5/s",
      "1./s",
      "",
      5,
      null,
    ]) {
      expect(parseRate(text)).toBeUndefined();
    }
  });
});

test("square roots are right to the last bit but one, however far off the guess", () => {
  for (const value of [1e-28, 0.3, 1, 2, 4, 1e12]) {
    for (const guess of [0, 1e-9, 1, 1e9]) {
      const off = squareRoot(value, guess) / Math.sqrt(value) - 1;
      expect(Math.abs(off)).toBeLessThan(5e-16);
    }
  }
  expect(squareRoot(0, 5)).toBe(0);
  expect(squareRoot(-1e-20, 5)).toBe(0);
});
