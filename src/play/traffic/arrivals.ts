/** When requests come: each pattern of arrivals as a schedule in whole milliseconds, in order, whatever the answers. */

import { drawBetween, type Key } from "../../base/random.ts";
import { arrivalPatternOf, type Bursts, rateCurveOf } from "./arrival-pattern.ts";
import { evenArrivals, type RateCurve } from "./rate-curve.ts";
import type { Arrivals } from "./traffic.ts";

/** Gives the time of one arrival after the other, in whole milliseconds from the beginning; `Infinity` after the last. */
export type Schedule = () => number;

/** What a schedule depends on. */
export interface ScheduleParts {
  readonly arrivals: Arrivals;
  /** Arrivals come before that. */
  readonly forMs: number;
  /** The world's time at which it begins, in milliseconds since 1970. */
  readonly startMs: number;
  /** Of its draws. */
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

/** The first at once, and then one each time that another one is expected to have come. */
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

/** A Poisson process: what is expected between two arrivals is exponential, with mean 1. */
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
    // The rest of the burst would come later still, and so would the next one.
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

const HIGHEST = 0xffff_ffff;
const VALUES = 0x1_0000_0000;

/** Gives one draw after the other, with mean 1. */
export function createExponentials(key: Key): () => number {
  let drawn = 0;
  return () => {
    let whole = 0;
    for (;;) {
      // Uniform draws fall from the first for a while. How often decides, and what is refused adds a whole to the result.
      const first = drawBetween(key, drawn, 0, HIGHEST);
      drawn += 1;
      let last = first;
      let isTaken = true;
      for (;;) {
        const next = drawBetween(key, drawn, 0, HIGHEST);
        drawn += 1;
        if (next >= last) break;
        last = next;
        isTaken = !isTaken;
      }
      if (isTaken) return whole + first / VALUES;
      whole += 1;
    }
  };
}
