/**
 * How many requests a traffic step sends in which stretches of time, counted from its own arrivals. Load generators spread
 * those of a stretch evenly, so the shorter the stretches, the closer their load is to adsim's.
 */

import { durationMs } from "../../base/duration.ts";
import { deriveKey } from "../../base/random.ts";
import { arrivalTimes } from "../../play/traffic/arrivals.ts";
import type { PlannedTraffic } from "./traffic-plan.ts";

/** A time in which each interval has the same number of requests. */
export interface Stretch {
  readonly lengthMs: number;
  /** In all of it. */
  readonly count: number;
}

export interface ArrivalCounts {
  readonly intervalMs: number;
  readonly stretches: readonly Stretch[];
  readonly total: number;
}

/** No tool has shorter ones. */
const SECOND_MS = 1000;
/** More make a script that nobody can read. */
const MAX_STRETCHES = 200;

/** Intervals are a second long, or as many times twice that as it takes to come to 200 stretches at most. */
export function countArrivals({ traffic, startMs, number, seed }: PlannedTraffic): ArrivalCounts {
  const lengthMs = Math.max(durationMs(traffic.for), SECOND_MS);
  const key = deriveKey(seed, "traffic", number, "arrivals");
  let counts = Array.from({ length: Math.ceil(lengthMs / SECOND_MS) }, () => 0);
  let total = 0;
  for (const ms of arrivalTimes(traffic, startMs, key)) {
    const second = Math.floor(ms / SECOND_MS);
    counts[second] = (counts[second] ?? 0) + 1;
    total += 1;
  }
  for (let intervalMs = SECOND_MS; ; intervalMs *= 2) {
    const stretches = stretchesOf(counts, intervalMs, lengthMs);
    if (stretches.length <= MAX_STRETCHES) return { intervalMs, stretches, total };
    const before = counts;
    counts = Array.from(
      { length: Math.ceil(before.length / 2) },
      (_, pair) => (before[2 * pair] ?? 0) + (before[2 * pair + 1] ?? 0),
    );
  }
}

/** Joins neighbours with the same number. The last interval may be shorter. */
function stretchesOf(counts: readonly number[], intervalMs: number, lengthMs: number): Stretch[] {
  const stretches: { lengthMs: number; count: number }[] = [];
  counts.forEach((count, place) => {
    const ms = Math.min(intervalMs, lengthMs - place * intervalMs);
    const last = stretches.at(-1);
    if (last !== undefined && count === counts[place - 1] && ms === intervalMs) {
      last.lengthMs += ms;
      last.count += count;
    } else stretches.push({ lengthMs: ms, count });
  });
  return stretches;
}
