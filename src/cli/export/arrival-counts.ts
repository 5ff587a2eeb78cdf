/**
 * How many requests a traffic step sends in each interval, counted from its own arrivals. Load generators spread those of
 * an interval evenly, so the shorter the intervals, the closer their load is to adsim's.
 */

import { durationMs } from "../../base/duration.ts";
import { deriveKey } from "../../base/random.ts";
import { arrivalTimes } from "../../play/traffic/arrivals.ts";
import type { TrafficOrder } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";

export interface ArrivalCounts {
  readonly intervalMs: number;
  /** Neighbouring intervals with the same count of requests each. The last interval may end after the step. */
  readonly stretches: readonly { readonly intervals: number; readonly count: number }[];
}

/** No tool has shorter intervals. */
const SECOND_MS = 1000;
/** More make a script that nobody can read. */
const MAX_INTERVALS = 200;

export function countArrivals(
  traffic: Traffic,
  { seed, number, startMs }: Pick<TrafficOrder, "seed" | "number" | "startMs">,
): ArrivalCounts {
  const forMs = durationMs(traffic.for);
  const intervalMs = Math.max(SECOND_MS, Math.ceil(forMs / MAX_INTERVALS));
  const counts = Array.from({ length: Math.ceil(forMs / intervalMs) }, () => 0);
  for (const ms of arrivalTimes(traffic, startMs, deriveKey(seed, "traffic", number, "arrivals"))) {
    const place = Math.floor(ms / intervalMs);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const stretches: { intervals: number; count: number }[] = [];
  for (const count of counts) {
    const last = stretches.at(-1);
    if (last?.count === count) last.intervals += 1;
    else stretches.push({ intervals: 1, count });
  }
  return { intervalMs, stretches };
}
