/** Patterns of arrivals in numbers, and how many requests they make at most. Whether they can be is looked at on parsing. */

import { DAY_MS, durationMs, HOUR_MS } from "../../base/duration.ts";
import { ratePerMs } from "./rate.ts";
import {
  createRateCurve,
  evenArrivals,
  partOf,
  type RateCurve,
  type RateSegment,
} from "./rate-curve.ts";
import { squareRoot } from "./square-root.ts";
import type { Arrivals, Spacing, Traffic } from "./traffic.ts";

export type ArrivalPattern = Line | Daily | Bursts | Trace;

/** A rate that goes straight from one value to the other. Rates are requests in a millisecond. */
interface Line {
  readonly kind: "line";
  readonly from: number;
  readonly to: number;
  readonly spacing: Spacing;
}

interface Daily {
  readonly kind: "daily";
  readonly mean: number;
  readonly hours: readonly number[];
  readonly spacing: Spacing;
}

export interface Bursts {
  readonly kind: "bursts";
  readonly count: number;
  /** `Infinity`: there is only one. */
  readonly everyMs: number;
  readonly withinMs: number;
}

interface Trace {
  readonly kind: "trace";
  readonly atMs: readonly number[];
}

export function arrivalPatternOf(arrivals: Arrivals): ArrivalPattern {
  switch (arrivals.kind) {
    case "constant":
    case "poisson": {
      const rate = ratePerMs(arrivals.rate);
      const spacing = arrivals.kind === "poisson" ? "poisson" : "even";
      return { kind: "line", from: rate, to: rate, spacing };
    }
    case "ramp": {
      const { from, to, spacing = "even" } = arrivals;
      return { kind: "line", from: ratePerMs(from), to: ratePerMs(to), spacing };
    }
    case "daily": {
      const { mean, hours = usualHours, spacing = "even" } = arrivals;
      return { kind: "daily", mean: ratePerMs(mean), hours, spacing };
    }
    case "burst": {
      const { count, every, within = 0 } = arrivals;
      const everyMs = every === undefined ? Number.POSITIVE_INFINITY : durationMs(every);
      return { kind: "bursts", count, everyMs, withinMs: durationMs(within) };
    }
    case "trace":
      return { kind: "trace", atMs: arrivals.atMs };
  }
}

/** The rate over time. */
export function rateCurveOf(pattern: Line | Daily, forMs: number, startMs: number): RateCurve {
  if (pattern.kind === "daily")
    return createRateCurve(dayFrom(startMs, pattern.hours, pattern.mean));
  return createRateCurve([{ lengthMs: forMs, from: pattern.from, to: pattern.to }]);
}

/**
 * How many requests come of a traffic at most, clicks included. Where it is drawn there are more with odds of less than
 * one in a billion. It costs the same for many as for few.
 */
export function plannedArrivals({ for: duration, arrivals, mix, clicks }: Traffic): number {
  const most = maxArrivals(arrivalPatternOf(arrivals), durationMs(duration));
  const clickRate = mix !== undefined && !((mix.impression ?? 0) > 0) ? 0 : (clicks?.rate ?? 0);
  return clickRate > 0 ? most + Math.min(most, maxDrawn(most * clickRate)) : most;
}

function maxArrivals(pattern: ArrivalPattern, forMs: number): number {
  switch (pattern.kind) {
    case "bursts": {
      const bursts = pattern.everyMs < forMs ? Math.ceil(forMs / pattern.everyMs) : 1;
      return bursts * pattern.count;
    }
    case "trace":
      return pattern.atMs.length;
    case "line":
      return maxOnCurve(pattern.spacing, ((pattern.from + pattern.to) / 2) * forMs);
    case "daily": {
      const days = Math.floor(forMs / DAY_MS);
      // Of a part of a day it isn't known here which.
      const restMs = (forMs - days * DAY_MS) * peakOf(pattern.hours);
      return maxOnCurve(pattern.spacing, pattern.mean * (days * DAY_MS + Math.min(restMs, DAY_MS)));
    }
  }
}

function maxOnCurve(spacing: Spacing, expected: number): number {
  return spacing === "even" ? evenArrivals(expected) : maxDrawn(expected);
}

/** Seven standard deviations of a Poisson distribution above its mean, and some more for small ones. */
function maxDrawn(mean: number): number {
  return Math.ceil(mean + 7 * squareRoot(mean, mean) + 20);
}

/**
 * A publisher's usual day, of mean 100: most of its readers are in India, where it is half past five at midnight UTC. The
 * peak is 1.19 times the mean, so that 80 % of a limit on average stays below the limit all day.
 */
const usualHours: readonly number[] = [
  72, 78, 86, 97, 108, 115, 118, 114, 111, 115, 119, 119, 115, 111, 109, 111, 110, 106, 99, 91, 82,
  75, 70, 69,
];

const HOURS = 24;

/** By how much the busiest moment of the day is above the mean. */
function peakOf(hours: readonly number[]): number {
  return Math.max(...hours) / meanOf(hours);
}

/** A day from the given instant on, with this rate in the mean. */
function dayFrom(startMs: number, hours: readonly number[], perMs: number): RateSegment[] {
  const scale = perMs / meanOf(hours);
  // From the middle of the last hour of the day before, so that the first line crosses midnight.
  const lines = Array.from(
    { length: HOURS },
    (_, hour): RateSegment => ({
      lengthMs: HOUR_MS,
      from: (hours[(hour + HOURS - 1) % HOURS] ?? 0) * scale,
      to: (hours[hour] ?? 0) * scale,
    }),
  );
  const sinceMs = modulo(startMs + HOUR_MS / 2, DAY_MS);
  const first = Math.floor(sinceMs / HOUR_MS);
  const intoMs = sinceMs - first * HOUR_MS;
  const turned = [...lines.slice(first), ...lines.slice(0, first)];
  const [cut] = turned;
  if (cut === undefined || intoMs === 0) return turned;
  return [partOf(cut, intoMs, HOUR_MS), ...turned.slice(1), partOf(cut, 0, intoMs)];
}

/** The mean of the weights is that of the lines between them too. */
function meanOf(hours: readonly number[]): number {
  return hours.reduce((sum, weight) => sum + weight, 0) / HOURS;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
