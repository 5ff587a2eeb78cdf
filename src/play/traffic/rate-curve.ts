/**
 * A piecewise linear rate and its integral. Schedules ask when the expected number of arrivals reaches a count. Each answer
 * is computed from the integral, so rounding errors don't add up.
 */

import { assert } from "../../base/assert.ts";
import { squareRoot } from "./square-root.ts";

/** A span in which the rate changes linearly. Rates are arrivals per millisecond. */
export interface RateSegment {
  readonly lengthMs: number;
  readonly from: number;
  readonly to: number;
}

export interface RateCurve {
  /** Expected number of arrivals before this moment. */
  expectedBefore(ms: number): number;
  /** When the expected number reaches `count`, in whole milliseconds, rounded down. Call it with ascending counts. */
  whenExpected(count: number): number;
}

/** A result that is less than this below a whole millisecond is rounded up to it: the gap is a rounding error. */
const NEARLY_MS = 1e-4;

/** The segments in order, repeated endlessly. */
export function createRateCurve(segments: readonly RateSegment[]): RateCurve {
  const starts: number[] = [];
  const sums: number[] = [];
  const slopes: number[] = [];
  let roundMs = 0;
  let roundSum = 0;
  for (const segment of segments) {
    starts.push(roundMs);
    sums.push(roundSum);
    slopes.push(slopeOf(segment));
    roundMs += segment.lengthMs;
    roundSum += sumOf(segment);
  }
  let round = 0;
  let place = 0;
  let rate = 0;

  /** Milliseconds into a segment at which `count` of its arrivals are expected. */
  function intoSegment({ lengthMs, from, to }: RateSegment, slope: number, count: number): number {
    if (from === to) return from === 0 ? 0 : Math.min(count / from, lengthMs);
    if (to > from) {
      rate = squareRoot(from * from + 2 * slope * count, rate);
      return rate === 0 ? 0 : Math.min((2 * count) / (from + rate), lengthMs);
    }
    // Computed from the segment's end, where the rate is lower, to avoid a loss of precision in the difference.
    const missing = Math.max(((from + to) / 2) * lengthMs - count, 0);
    rate = squareRoot(to * to - 2 * slope * missing, rate);
    return rate === 0 ? lengthMs : Math.max(lengthMs - (2 * missing) / (to + rate), 0);
  }

  return {
    expectedBefore(ms) {
      const rounds = Math.floor(ms / roundMs);
      const rest = firstOf(segments, ms - rounds * roundMs);
      return rest.reduce((sum, segment) => sum + sumOf(segment), rounds * roundSum);
    },
    whenExpected(count) {
      while (count >= (round + 1) * roundSum) {
        round += 1;
        place = 0;
      }
      const inRound = count - round * roundSum;
      while (inRound >= (sums[place + 1] ?? Number.POSITIVE_INFINITY)) place += 1;
      const segment = segments[place];
      assert(segment !== undefined, "A rate curve without segments.");
      const into = intoSegment(segment, slopes[place] ?? 0, inRound - (sums[place] ?? 0));
      return Math.floor(round * roundMs + (starts[place] ?? 0) + into + NEARLY_MS);
    },
  };
}

/** Relative tolerance, far larger than the rounding errors of a sum. */
const NEARLY = 1e-13;

/** The number of evenly spaced arrivals for an expected total. It rounds up, because the first comes at once. */
export function evenArrivals(expected: number): number {
  return Math.ceil(expected * (1 - NEARLY));
}

/** The part of a segment between two moments in it. */
export function partOf(segment: RateSegment, beginMs: number, endMs: number): RateSegment {
  const { lengthMs, from, to } = segment;
  const slope = slopeOf(segment);
  return {
    lengthMs: endMs - beginMs,
    from: from + slope * beginMs,
    to: endMs === lengthMs ? to : from + slope * endMs,
  };
}

/** The segments up to a moment in them. */
export function firstOf(segments: readonly RateSegment[], lengthMs: number): RateSegment[] {
  const first: RateSegment[] = [];
  let leftMs = lengthMs;
  for (const segment of segments) {
    if (leftMs <= 0) break;
    first.push(partOf(segment, 0, Math.min(leftMs, segment.lengthMs)));
    leftMs -= segment.lengthMs;
  }
  return first;
}

function slopeOf({ lengthMs, from, to }: RateSegment): number {
  return (to - from) / lengthMs;
}

/** Expected number of arrivals in the segment. */
export function sumOf({ lengthMs, from, to }: RateSegment): number {
  return ((from + to) / 2) * lengthMs;
}
