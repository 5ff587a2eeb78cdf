/** Arrival patterns as numbers, and the most requests that they can make. The parser has already validated them. */

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

/** A rate that changes linearly. Rates are requests per millisecond. */
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
  /** `Infinity` for a single burst. */
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
  return createRateCurve(rateSegmentsOf(pattern, forMs, startMs));
}

/** The same as segments, which repeat endlessly: those of the whole time, or of a day. */
export function rateSegmentsOf(
  pattern: Line | Daily,
  forMs: number,
  startMs: number,
): readonly RateSegment[] {
  if (pattern.kind === "daily") return dayFrom(startMs, pattern.hours, pattern.mean);
  return [{ lengthMs: forMs, from: pattern.from, to: pattern.to }];
}

/**
 * The most requests of a traffic step, with clicks. For random arrivals the odds of more are below one in a billion. Takes
 * the same time for any number of requests.
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
      // The time of day isn't known here, so assume the peak for the rest of a day.
      const restMs = (forMs - days * DAY_MS) * peakOf(pattern.hours);
      return maxOnCurve(pattern.spacing, pattern.mean * (days * DAY_MS + Math.min(restMs, DAY_MS)));
    }
  }
}

function maxOnCurve(spacing: Spacing, expected: number): number {
  return spacing === "even" ? evenArrivals(expected) : maxDrawn(expected);
}

/** Seven standard deviations above the mean of a Poisson distribution, plus a margin for small means. */
function maxDrawn(mean: number): number {
  return Math.ceil(mean + 7 * squareRoot(mean, mean) + 20);
}

/**
 * A publisher's usual day, with mean 100. Most readers are in India, where it is 5:30 at midnight UTC. The peak is 1.19
 * times the mean, so a mean of 80 % of a limit stays below the limit all day.
 */
const usualHours: readonly number[] = [
  72, 78, 86, 97, 108, 115, 118, 114, 111, 115, 119, 119, 115, 111, 109, 111, 110, 106, 99, 91, 82,
  75, 70, 69,
];

const HOURS = 24;

/** The peak rate of the day as a multiple of the mean. */
function peakOf(hours: readonly number[]): number {
  return Math.max(...hours) / meanOf(hours);
}

/** The segments of a day from the given instant, with this mean rate. */
function dayFrom(startMs: number, hours: readonly number[], perMs: number): RateSegment[] {
  const scale = perMs / meanOf(hours);
  // Lines go from mid-hour to mid-hour. The first starts in the last hour of the previous day and crosses midnight.
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

/** The mean of the weights, which is also the mean of the lines between them. */
function meanOf(hours: readonly number[]): number {
  return hours.reduce((sum, weight) => sum + weight, 0) / HOURS;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
