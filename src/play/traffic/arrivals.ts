/**
 * When the requests of a traffic step are due: whole milliseconds from its beginning, in ascending order, whatever is answered.
 * Each kind of rate is one function: how many requests are expected before a moment. Even and random spacing both follow from it.
 */

import { DAY_MS, durationMs, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import { drawFraction, type Key } from "../../base/random.ts";
import type { Arrivals, Rate, Traffic } from "./traffic.ts";

/** `startMs`: the target's time at the beginning, in milliseconds since 1970. `key`: of the random draws. */
export function arrivalTimes(
  { for: duration, arrivals }: Pick<Traffic, "for" | "arrivals">,
  startMs: number,
  key: Key,
): IterableIterator<number> {
  const forMs = durationMs(duration);
  if (arrivals.kind === "burst") return burstTimes(arrivals, forMs);
  if (arrivals.kind === "trace") return arrivals.atMs.map(Math.floor).values();
  // In a Poisson process the expected number between two arrivals is exponentially distributed with mean 1.
  const gaps = isRandom(arrivals) ? exponentials(key) : evenGaps();
  return timesOf(gaps, expectedBefore(arrivals, forMs, startMs), forMs);
}

/** The most requests of a traffic step, with clicks. For random arrivals the odds of more are below one in a billion. */
export function plannedArrivals({ for: duration, arrivals, clicks }: Traffic): number {
  const most = maxArrivals(arrivals, durationMs(duration));
  const clicked = clicks === undefined ? 0 : Math.min(most, maxDrawn(most * clicks.rate));
  return most + clicked;
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Requests per millisecond of a rate such as "8000/m". Its form has been checked. */
export function parseRate(rate: Rate): number {
  const [count, unit = ""] = rate.split("/");
  return Number(count) / (unitMs[unit] ?? Number.NaN);
}

/** Arrivals at a rate that changes over time. */
type Flow = Exclude<Arrivals, { kind: "burst" | "trace" }>;
/** How many requests are expected before a moment: the rate's integral. */
type Expected = (ms: number) => number;

function expectedBefore(flow: Flow, forMs: number, startMs: number): Expected {
  switch (flow.kind) {
    case "constant":
    case "poisson": {
      const rate = parseRate(flow.rate);
      return (ms) => rate * ms;
    }
    case "ramp": {
      const from = parseRate(flow.from);
      const halfSlope = (parseRate(flow.to) - from) / forMs / 2;
      return (ms) => (from + halfSlope * ms) * ms;
    }
    case "daily":
      return expectedOnDays(flow.hours ?? usualHours, parseRate(flow.mean), startMs);
  }
}

/** The rate goes in lines from the middle of each hour to the middle of the next. */
function expectedOnDays(hours: readonly number[], meanPerMs: number, startMs: number): Expected {
  const scale = meanPerMs / meanOf(hours);
  let sum = 0;
  // The first line leads from the day before over midnight.
  const lines = hours.map((weight, hour) => {
    const [from, to] = [(hours.at(hour - 1) ?? 0) * scale, weight * scale];
    const line = { before: sum, from, halfSlope: (to - from) / HOUR_MS / 2 };
    sum += ((from + to) / 2) * HOUR_MS;
    return line;
  });
  function sinceFirstLine(ms: number): number {
    const days = Math.floor(ms / DAY_MS);
    const intoDay = ms - days * DAY_MS;
    const hour = Math.floor(intoDay / HOUR_MS);
    const { before = 0, from = 0, halfSlope = 0 } = lines[hour] ?? {};
    const into = intoDay - hour * HOUR_MS;
    return days * sum + before + (from + halfSlope * into) * into;
  }
  const beginMs = (startMs + HOUR_MS / 2) % DAY_MS;
  const before = sinceFirstLine(beginMs);
  return (ms) => sinceFirstLine(beginMs + ms) - before;
}

/**
 * A publisher's usual day. Most readers are in India, where it is 5:30 at midnight UTC. The peak is 1.19 times the mean, so a
 * mean of 80 % of a limit stays below the limit all day.
 */
const usualHours: readonly number[] = [
  72, 78, 86, 97, 108, 115, 118, 114, 111, 115, 119, 119, 115, 111, 109, 111, 110, 106, 99, 91, 82,
  75, 70, 69,
];

/** Sums of rates have rounding errors, far smaller than this in proportion. */
const ROUNDING = 1e-12;

/** A request comes in the millisecond in which the expected number reaches the sum of the next of `gaps`. */
function* timesOf(gaps: Iterable<number>, expected: Expected, forMs: number): Generator<number> {
  const total = expected(forMs) * (1 - ROUNDING);
  let count = 0;
  let dueMs = 0;
  for (const gap of gaps) {
    count += gap;
    if (count >= total) return;
    dueMs = lastUpTo(count * (1 + ROUNDING), expected, dueMs, forMs);
    yield dueMs;
  }
}

/** The last millisecond before which no more than `count` are expected, searched from one that is known to be. */
function lastUpTo(count: number, expected: Expected, knownMs: number, forMs: number): number {
  let from = knownMs;
  let step = 1;
  while (from + step < forMs && expected(from + step) <= count) {
    from += step;
    step *= 2;
  }
  let to = Math.min(from + step, forMs);
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (expected(middle) <= count) from = middle;
    else to = middle;
  }
  return from;
}

function isRandom(flow: Flow): boolean {
  return flow.kind === "poisson" || ("spacing" in flow && flow.spacing === "poisson");
}

function* evenGaps(): Generator<number> {
  yield 0;
  for (;;) yield 1;
}

/** Exponentially distributed draws with mean 1, without a logarithm: engines may differ in its last bit. */
export function* exponentials(key: Key): Generator<number> {
  let drawn = 0;
  let whole = 0;
  for (;;) {
    // Von Neumann's method: draw while the values fall. After an even number of falls take the first draw; otherwise add 1.
    const first = drawFraction(key, drawn);
    let last = first;
    let falls = 0;
    for (drawn += 1; drawFraction(key, drawn) < last; drawn += 1) {
      last = drawFraction(key, drawn);
      falls += 1;
    }
    drawn += 1;
    if (falls % 2 === 0) {
      yield whole + first;
      whole = 0;
    } else whole += 1;
  }
}

type Burst = Extract<Arrivals, { kind: "burst" }>;

function* burstTimes({ count, every, within = 0 }: Burst, forMs: number): Generator<number> {
  const everyMs = every === undefined ? forMs : durationMs(every);
  const withinMs = durationMs(within);
  for (let burstMs = 0; burstMs < forMs; burstMs += everyMs) {
    for (let number = 0; number < count; number += 1) {
      const dueMs = burstMs + Math.floor((number * withinMs) / count);
      if (dueMs >= forMs) return;
      yield dueMs;
    }
  }
}

function maxArrivals(arrivals: Arrivals, forMs: number): number {
  if (arrivals.kind === "trace") return arrivals.atMs.length;
  if (arrivals.kind === "burst") {
    const everyMs = arrivals.every === undefined ? forMs : durationMs(arrivals.every);
    return Math.ceil(forMs / everyMs) * arrivals.count;
  }
  const expected = Math.ceil(maxExpected(arrivals, forMs));
  return isRandom(arrivals) ? maxDrawn(expected) : expected;
}

function maxExpected(flow: Flow, forMs: number): number {
  if (flow.kind !== "daily") return expectedBefore(flow, forMs, 0)(forMs);
  // The time of day isn't known here: all of it may be at the peak, but not more than whole days have.
  const { hours = usualHours, mean } = flow;
  const atPeakMs = (forMs * Math.max(...hours)) / meanOf(hours);
  return parseRate(mean) * Math.min(atPeakMs, Math.ceil(forMs / DAY_MS) * DAY_MS);
}

/** For any mean this is at least seven standard deviations of a Poisson distribution above it. */
function maxDrawn(mean: number): number {
  return Math.ceil(1.1 * mean + 130);
}

function meanOf(hours: readonly number[]): number {
  return hours.reduce((sum, weight) => sum + weight, 0) / hours.length;
}
