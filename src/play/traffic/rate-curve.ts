/**
 * A rate that changes in straight lines, and what it adds up to. Every schedule that follows a rate asks one thing: when
 * were so many arrivals expected? It is worked out of the sum each time, so that no error grows with the count.
 */

import { squareRoot } from "./square-root.ts";

/** So long the rate goes straight from one value to the other. Rates are arrivals in a millisecond. */
export interface RateSegment {
  readonly lengthMs: number;
  readonly from: number;
  readonly to: number;
}

export interface RateCurve {
  /** How many arrivals are expected before this moment. */
  expectedBefore(ms: number): number;
  /** When so many are expected to have come, in whole milliseconds, rounded down. To be asked in ascending order. */
  whenExpected(count: number): number;
}

/** A whole millisecond that rounding errors put before itself by less than this is meant. */
const NEARLY_MS = 1e-4;

/** The segments one after the other, and then again from the first, without an end. */
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

  /** How far into a segment `count` of its arrivals are expected. */
  function intoSegment({ lengthMs, from, to }: RateSegment, slope: number, count: number): number {
    if (from === to) return from === 0 ? 0 : Math.min(count / from, lengthMs);
    if (to > from) {
      rate = squareRoot(from * from + 2 * slope * count, rate);
      return rate === 0 ? 0 : Math.min((2 * count) / (from + rate), lengthMs);
    }
    // From its end, where the rate is the lower: nothing that matters is lost in a difference.
    const missing = Math.max(((from + to) / 2) * lengthMs - count, 0);
    rate = squareRoot(to * to - 2 * slope * missing, rate);
    return rate === 0 ? lengthMs : Math.max(lengthMs - (2 * missing) / (to + rate), 0);
  }

  return {
    expectedBefore(ms) {
      const rounds = Math.floor(ms / roundMs);
      let left = ms - rounds * roundMs;
      let sum = rounds * roundSum;
      for (const segment of segments) {
        if (left <= 0) break;
        sum += sumOf(partOf(segment, 0, Math.min(left, segment.lengthMs)));
        left -= segment.lengthMs;
      }
      return sum;
    },
    whenExpected(count) {
      while (count >= (round + 1) * roundSum) {
        round += 1;
        place = 0;
      }
      const inRound = count - round * roundSum;
      while (inRound >= (sums[place + 1] ?? Number.POSITIVE_INFINITY)) place += 1;
      const segment = segments[place];
      if (segment === undefined)
        throw new Error("A flow without segments. This is a bug in adsim.");
      const into = intoSegment(segment, slopes[place] ?? 0, inRound - (sums[place] ?? 0));
      return Math.floor(round * roundMs + (starts[place] ?? 0) + into + NEARLY_MS);
    },
  };
}

/** Rounding errors of a sum are far smaller, as a share of it. */
const NEARLY = 1e-13;

/** How many arrivals are spaced evenly over what is expected in all: the first comes at once. */
export function evenArrivals(expected: number): number {
  return Math.ceil(expected * (1 - NEARLY));
}

/** What is left of a segment between two moments of it. */
export function partOf(segment: RateSegment, beginMs: number, endMs: number): RateSegment {
  const { lengthMs, from, to } = segment;
  const slope = slopeOf(segment);
  return {
    lengthMs: endMs - beginMs,
    from: from + slope * beginMs,
    to: endMs === lengthMs ? to : from + slope * endMs,
  };
}

/** How fast the rate rises. */
function slopeOf({ lengthMs, from, to }: RateSegment): number {
  return (to - from) / lengthMs;
}

/** How many arrivals are expected in all of it. */
function sumOf({ lengthMs, from, to }: RateSegment): number {
  return ((from + to) / 2) * lengthMs;
}
