/**
 * What a load generator is given of a scenario: its traffic steps in order, and how many requests each sends in each interval,
 * counted from its own arrivals. Load generators spread those of an interval evenly, so the shorter the intervals, the closer
 * their load is to adsim's. Everything else is left out, and listed.
 */

import { parseInstant } from "../../base/calendar.ts";
import { durationMs } from "../../base/duration.ts";
import { deriveKey } from "../../base/random.ts";
import { worldOptionsOf } from "../../play/play-scenario.ts";
import { kindOf } from "../../play/scenario/step-kind.ts";
import type { Scenario, Step } from "../../play/scenario/types.ts";
import { arrivalTimes } from "../../play/traffic/arrivals.ts";
import type { TrafficOrder } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";

/** A publisher that sends requests. */
export interface Sender {
  readonly ordinal: number;
  readonly id: string;
  readonly apiKey: string;
  /** Ids. */
  readonly surfaces: readonly string[];
}

export interface PlannedTraffic extends ArrivalCounts {
  readonly traffic: Traffic;
  /** Ordinals, or names of those that sign up in the scenario. */
  readonly publishers: readonly (number | string)[];
  /** The step's `as`, or "traffic", with its place among the traffic steps. */
  readonly name: string;
}

export interface LoadPlan {
  /** The scenario's name. */
  readonly name: string;
  /** In order; at least one. */
  readonly steps: readonly (PlannedTraffic & { readonly senders: readonly Sender[] })[];
  /** The base URL, without a slash at the end. */
  readonly target: string;
}

/** `leftOut`: members of the scenario, and kinds of steps. */
export function planOf(scenario: Scenario): {
  readonly steps: readonly PlannedTraffic[];
  readonly leftOut: readonly string[];
} {
  const { seed, startMs } = resolveOptions(worldOptionsOf(scenario)).settings;
  const planned: PlannedTraffic[] = [];
  const settings = ["faults", "assumptions", "thresholds", "expectations"] as const;
  const leftOut = new Set<string>(settings.filter((name) => scenario[name] !== undefined));
  // The world's time, as far as it is known without playing: a daily curve depends on the hour.
  let nowMs = startMs;

  function walk(steps: readonly Step[]): void {
    for (const step of steps) {
      if ("traffic" in step) {
        const { traffic, as = "traffic", expect } = step;
        const { publishers = [0], repeatedSessions = 0 } = traffic;
        const number = planned.length;
        const counts = countArrivals(traffic, { seed, number, startMs: nowMs });
        planned.push({ traffic, publishers, name: `${as}_${number}`, ...counts });
        nowMs += durationMs(traffic.for);
        if (expect !== undefined) leftOut.add("expect");
        if (repeatedSessions > 0) leftOut.add("repeatedSessions");
      } else if ("repeat" in step) {
        const { times, every = 0, steps: inside } = step.repeat;
        if (durationMs(every) > 0) leftOut.add("every");
        for (let round = 0; round < times; round += 1) {
          walk(inside);
          nowMs += durationMs(every);
        }
      } else {
        leftOut.add(kindOf(step));
        if (!("advance" in step)) continue;
        const { advance } = step;
        if (typeof advance !== "object") nowMs += durationMs(advance);
        else if ("to" in advance) nowMs = parseInstant(advance.to) ?? nowMs;
      }
    }
  }
  walk(scenario.steps);
  return { steps: planned, leftOut: [...leftOut] };
}

interface ArrivalCounts {
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
