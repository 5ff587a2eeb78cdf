/** The rate of a traffic step's arrivals over time, piece by piece, with pieces that repeat listed once. */

import { durationMs } from "../../base/duration.ts";
import {
  arrivalPatternOf,
  type Bursts,
  rateSegmentsOf,
} from "../../play/traffic/arrival-pattern.ts";
import {
  createRateCurve,
  firstOf,
  type RateSegment,
  sumOf,
} from "../../play/traffic/rate-curve.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";

/** `round`, so many times, then `rest`. */
export interface Rates {
  readonly round: readonly RateSegment[];
  readonly rounds: number;
  readonly rest: readonly RateSegment[];
}

const SECOND_MS = 1000;
/** A recorded trace becomes at most this many segments. */
const MAX_TRACE_SEGMENTS = 600;

/**
 * `startMs`: the world's time at which the traffic begins. `shortestMs`: how long a burst takes at least, because no tool sends
 * all of it at once.
 */
export function ratesOf(
  { arrivals, for: duration }: Traffic,
  startMs: number,
  shortestMs: number,
): Rates {
  const forMs = durationMs(duration);
  const pattern = arrivalPatternOf(arrivals);
  switch (pattern.kind) {
    case "line":
    case "daily": {
      const segments = rateSegmentsOf(pattern, forMs, startMs);
      return repeated(sumOfLengths(segments), forMs, (lengthMs) => firstOf(segments, lengthMs));
    }
    case "bursts": {
      const bursts = repeated(Math.min(pattern.everyMs, forMs), forMs, (lengthMs) =>
        burstIn(lengthMs, pattern, shortestMs),
      );
      return pattern.everyMs > shortestMs ? bursts : constant(arrivalsOf(bursts) / forMs, forMs);
    }
    case "trace":
      return { round: traceSegments(pattern.atMs, forMs), rounds: 1, rest: [] };
  }
}

/** All segments in order. */
export function segmentsOf({ round, rounds, rest }: Rates): RateSegment[] {
  return [...Array.from({ length: rounds }, () => round).flat(), ...rest];
}

/** Their expected number. */
export function arrivalsOf({ round, rounds, rest }: Rates): number {
  return rounds * totalOf(round) + totalOf(rest);
}

/** In milliseconds. */
export function lengthOf({ round, rounds, rest }: Rates): number {
  return rounds * sumOfLengths(round) + sumOfLengths(rest);
}

/** About the most arrivals in any `windowMs`: in those that begin or end where a segment does. */
export function mostArrivalsIn(windowMs: number, { round, rounds, rest }: Rates): number {
  const roundMs = sumOfLengths(round);
  // In as long as a round there are as many arrivals wherever it begins.
  const whole = Math.min(Math.floor(windowMs / roundMs), rounds - 1);
  const segments = segmentsOf({ round, rounds: Math.min(rounds - whole, 2), rest });
  const { expectedBefore } = createRateCurve(segments);
  const [leftMs, endMs] = [windowMs - whole * roundMs, sumOfLengths(segments)];
  let [atMs, most] = [0, 0];
  for (const { lengthMs } of [...segments, { lengthMs: 0 }]) {
    const [before, after] = [Math.max(0, atMs - leftMs), Math.min(endMs, atMs + leftMs)];
    const here = expectedBefore(atMs);
    most = Math.max(most, here - expectedBefore(before), expectedBefore(after) - here);
    atMs += lengthMs;
  }
  return whole * totalOf(round) + most;
}

/** Whether it is a whole number but for rounding errors. */
export function isNearlyWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6 * value;
}

/** `within`: the segments of a round that is so many milliseconds long. */
function repeated(
  roundMs: number,
  forMs: number,
  within: (lengthMs: number) => readonly RateSegment[],
): Rates {
  const rounds = Math.floor(forMs / roundMs);
  if (rounds === 0) return { round: within(forMs), rounds: 1, rest: [] };
  return { round: within(roundMs), rounds, rest: within(forMs - rounds * roundMs) };
}

function totalOf(segments: readonly RateSegment[]): number {
  return segments.reduce((total, segment) => total + sumOf(segment), 0);
}

function sumOfLengths(segments: readonly RateSegment[]): number {
  return segments.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
}

function constant(rate: number, lengthMs: number): Rates {
  return { round: [{ lengthMs, from: rate, to: rate }], rounds: 1, rest: [] };
}

function burstIn(
  lengthMs: number,
  { count, withinMs }: Bursts,
  shortestMs: number,
): readonly RateSegment[] {
  const spreadMs = Math.max(withinMs, Math.min(shortestMs, lengthMs));
  const burstMs = Math.min(spreadMs, lengthMs);
  const rate = count / spreadMs;
  const segments = [
    { lengthMs: burstMs, from: rate, to: rate },
    { lengthMs: lengthMs - burstMs, from: 0, to: 0 },
  ];
  return segments.filter((segment) => segment.lengthMs > 0);
}

/** Segments of whole seconds, in which as many requests come as in the trace. */
function traceSegments(atMs: readonly number[], forMs: number): readonly RateSegment[] {
  const stepMs = Math.ceil(forMs / SECOND_MS / MAX_TRACE_SEGMENTS) * SECOND_MS;
  const segments: RateSegment[] = [];
  let arrived = 0;
  for (let fromMs = 0; fromMs < forMs; fromMs += stepMs) {
    const lengthMs = Math.min(stepMs, forMs - fromMs);
    const before = arrived;
    while ((atMs[arrived] ?? Number.POSITIVE_INFINITY) < fromMs + lengthMs) arrived += 1;
    const rate = (arrived - before) / lengthMs;
    const last = segments.at(-1);
    if (last?.to !== rate) segments.push({ lengthMs, from: rate, to: rate });
    else segments.splice(-1, 1, { ...last, lengthMs: last.lengthMs + lengthMs });
  }
  return segments;
}
