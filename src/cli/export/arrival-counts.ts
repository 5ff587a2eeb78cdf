/**
 * How many requests a traffic step sends in which stretches of time, counted from its own arrivals. Load generators spread
 * those of a stretch evenly, so the shorter the stretches, the closer their load is to adsim's.
 */

import { durationMs } from "../../base/duration.ts";
import { deriveKey } from "../../base/random.ts";
import { arrivalTimes } from "../../play/traffic/arrivals.ts";
import type { PlannedTraffic } from "./load-tool.ts";

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

const SECOND_MS = 1000;
/** More make a script that nobody can read. */
const MAX_STRETCHES = 200;
const MAX_INTERVALS = 1_000_000;

/** Intervals are a second long, or as many times twice that as it takes to come to 200 stretches at most. */
export function countArrivals({ traffic, startMs, number, seed }: PlannedTraffic): ArrivalCounts {
  const forMs = durationMs(traffic.for);
  // No tool has shorter ones.
  const lengthMs = Math.max(forMs, SECOND_MS);
  let intervalMs = SECOND_MS * Math.ceil(lengthMs / SECOND_MS / MAX_INTERVALS);
  let counts = Array.from({ length: Math.ceil(lengthMs / intervalMs) }, () => 0);
  const key = deriveKey(seed, "traffic", number, "arrivals");
  const times = arrivalTimes({ arrivals: traffic.arrivals, forMs, startMs, key });
  let total = 0;
  for (let next = times.next(); next.done !== true; next = times.next()) {
    const place = Math.floor(next.value / intervalMs);
    counts[place] = (counts[place] ?? 0) + 1;
    total += 1;
  }
  let stretches = stretchesOf(counts, intervalMs, lengthMs);
  while (stretches.length > MAX_STRETCHES) {
    intervalMs *= 2;
    counts = inPairs(counts);
    stretches = stretchesOf(counts, intervalMs, lengthMs);
  }
  return { intervalMs, stretches, total };
}

function inPairs(counts: readonly number[]): number[] {
  return Array.from(
    { length: Math.ceil(counts.length / 2) },
    (_, pair) => (counts[2 * pair] ?? 0) + (counts[2 * pair + 1] ?? 0),
  );
}

/** Joins neighbours with the same number. The last interval may be shorter. */
function stretchesOf(counts: readonly number[], intervalMs: number, lengthMs: number): Stretch[] {
  const stretches: { lengthMs: number; count: number }[] = [];
  let before: number | undefined;
  counts.forEach((count, place) => {
    const ms = Math.min(intervalMs, lengthMs - place * intervalMs);
    const last = stretches.at(-1);
    if (last !== undefined && count === before && ms === intervalMs) {
      last.lengthMs += ms;
      last.count += count;
    } else stretches.push({ lengthMs: ms, count });
    before = count;
  });
  return stretches;
}
