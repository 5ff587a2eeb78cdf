/** Schedules of requests for each arrival pattern: times in whole milliseconds, in order, independent of answers. */

import { drawFraction, type Key } from "../../base/random.ts";
import { arrivalPatternOf, type Bursts, rateCurveOf } from "./arrival-pattern.ts";
import { evenArrivals, type RateCurve } from "./rate-curve.ts";
import type { Arrivals } from "./traffic.ts";

/** Each call returns the next arrival's time, in whole milliseconds from the beginning; `Infinity` after the last. */
export type Schedule = () => number;

export interface ScheduleParts {
  readonly arrivals: Arrivals;
  /** All arrivals come before this time. */
  readonly forMs: number;
  /** The world's time at the beginning, in milliseconds since 1970. */
  readonly startMs: number;
  /** Key of its random draws. */
  readonly key: Key;
}

export function createSchedule({ arrivals, forMs, startMs, key }: ScheduleParts): Schedule {
  const pattern = arrivalPatternOf(arrivals);
  switch (pattern.kind) {
    case "bursts":
      return burstSchedule(pattern, forMs);
    case "trace":
      return traceSchedule(pattern.atMs, forMs);
    default: {
      const rateCurve = rateCurveOf(pattern, forMs, startMs);
      return pattern.spacing === "even"
        ? evenSchedule(rateCurve, forMs)
        : poissonSchedule(rateCurve, forMs, createExponentials(key));
    }
  }
}

const OVER = Number.POSITIVE_INFINITY;

/** The first arrival comes at once; each further one when the expected count reaches the next whole number. */
function evenSchedule(rateCurve: RateCurve, forMs: number): Schedule {
  const total = evenArrivals(rateCurve.expectedBefore(forMs));
  let arrived = 0;
  return () => {
    if (arrived >= total) return OVER;
    const dueMs = rateCurve.whenExpected(arrived);
    arrived += 1;
    return Math.min(dueMs, forMs - 1);
  };
}

/** A Poisson process: the expected count between two arrivals is exponentially distributed with mean 1. */
function poissonSchedule(
  rateCurve: RateCurve,
  forMs: number,
  nextExponential: () => number,
): Schedule {
  const total = rateCurve.expectedBefore(forMs);
  let expected = 0;
  return () => {
    expected += nextExponential();
    return expected >= total ? OVER : Math.min(rateCurve.whenExpected(expected), forMs - 1);
  };
}

function burstSchedule({ count, everyMs, withinMs }: Bursts, forMs: number): Schedule {
  let burstMs = 0;
  let inBurst = 0;
  return () => {
    if (inBurst === count) {
      burstMs += everyMs;
      inBurst = 0;
    }
    const dueMs = burstMs + Math.floor((inBurst * withinMs) / count);
    inBurst += 1;
    if (dueMs < forMs) return dueMs;
    // The rest of this burst and all later bursts come after the end.
    burstMs = OVER;
    return OVER;
  };
}

function traceSchedule(atMs: readonly number[], forMs: number): Schedule {
  let arrived = 0;
  return () => {
    const dueMs = Math.floor(atMs[arrived] ?? OVER);
    arrived += 1;
    return dueMs < forMs ? dueMs : OVER;
  };
}

/** Each call returns the next exponentially distributed draw, with mean 1. */
export function createExponentials(key: Key): () => number {
  let drawn = 0;
  return () => {
    let whole = 0;
    for (;;) {
      // Von Neumann's method: draw while the values fall. An even number of falls accepts the first draw; otherwise add 1.
      const first = drawFraction(key, drawn);
      drawn += 1;
      let last = first;
      let isAccepted = true;
      for (;;) {
        const next = drawFraction(key, drawn);
        drawn += 1;
        if (next >= last) break;
        last = next;
        isAccepted = !isAccepted;
      }
      if (isAccepted) return whole + first;
      whole += 1;
    }
  };
}
