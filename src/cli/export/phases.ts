/** Arrivals as phases of Artillery: rates where it keeps to them, and else counts, which add up exactly. */

import { durationMs, HOUR_MS } from "../../base/duration.ts";
import { arrivalPatternOf, rateCurveOf } from "../../play/traffic/arrival-pattern.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";

/** Durations: a number of seconds, or a text with milliseconds. */
export type Phase =
  | {
      readonly name: string;
      readonly duration: number | string;
      readonly arrivalRate: number;
      readonly rampTo?: number;
      readonly mode?: "poisson";
    }
  | { readonly name: string; readonly duration: number | string; readonly arrivalCount: number }
  | { readonly name: string; readonly pause: number | string };

const SECOND_MS = 1000;
/** A recorded trace is counted in so many stretches at most. */
const MAX_STRETCHES = 600;

/** The phases of a traffic that begins at this time of the world. */
export function phasesOf({ arrivals, for: duration }: Traffic, startMs: number): Phase[] {
  const forMs = durationMs(duration);
  const pattern = arrivalPatternOf(arrivals);
  switch (pattern.kind) {
    case "line": {
      const [from, to] = [pattern.from * SECOND_MS, pattern.to * SECOND_MS];
      const isWhole = [from, to, forMs / SECOND_MS].every(Number.isInteger);
      // It counts whole arrivals a second, and takes a ramp to 0 for none.
      if (!isWhole || to === 0)
        return countedPhases(arrivals.kind, (ms) => before(ms), forMs, forMs / 60);
      const common = { name: arrivals.kind, duration: forMs / SECOND_MS, arrivalRate: from };
      if (from !== to) return [{ ...common, rampTo: to }];
      return [pattern.spacing === "poisson" ? { ...common, mode: "poisson" } : common];
    }
    case "daily":
      return countedPhases(arrivals.kind, before, forMs, HOUR_MS);
    case "bursts":
      return burstPhases(pattern, forMs);
    case "trace": {
      const seconds = Math.ceil(forMs / SECOND_MS / MAX_STRETCHES);
      return countedPhases(arrivals.kind, arrivedBefore(pattern.atMs), forMs, seconds * SECOND_MS);
    }
  }

  function before(ms: number): number {
    if (pattern.kind !== "line" && pattern.kind !== "daily") return 0;
    return rateCurveOf(pattern, forMs, startMs).expectedBefore(ms);
  }
}

/** How many requests come of phases, as they are planned; clicks left out. */
export function totalOf(phases: readonly Phase[]): number {
  return phases.reduce((total, phase) => {
    if ("pause" in phase) return total;
    if ("arrivalCount" in phase) return total + phase.arrivalCount;
    const { arrivalRate, rampTo = arrivalRate, duration } = phase;
    return total + ((arrivalRate + rampTo) / 2) * Number(duration);
  }, 0);
}

/** Stretch by stretch: the sum never differs by more than a half from what is expected. */
function countedPhases(
  name: string,
  expectedBefore: (ms: number) => number,
  forMs: number,
  stretchMs: number,
): Phase[] {
  const phases: Phase[] = [];
  // Of whole seconds, where there are some.
  const lengthMs = Math.max(SECOND_MS, Math.ceil(stretchMs / SECOND_MS) * SECOND_MS);
  let sum = 0;
  for (let fromMs = 0; fromMs < forMs; fromMs += lengthMs) {
    const toMs = Math.min(fromMs + lengthMs, forMs);
    const arrivalCount = Math.round(expectedBefore(toMs)) - sum;
    sum += arrivalCount;
    const ms = toMs - fromMs;
    phases.push(
      arrivalCount > 0
        ? { name, duration: artilleryDuration(ms), arrivalCount }
        : { name, pause: artilleryDuration(ms) },
    );
  }
  return phases;
}

function burstPhases(
  shape: { readonly count: number; readonly everyMs: number; readonly withinMs: number },
  forMs: number,
): Phase[] {
  const { count, everyMs } = shape;
  const periodMs = Math.min(everyMs, forMs);
  // At once is as fast as a phase can be.
  const burstMs = Math.min(Math.max(shape.withinMs, SECOND_MS), periodMs);
  const phases: Phase[] = [];
  for (let fromMs = 0; fromMs < forMs; fromMs += everyMs) {
    phases.push({ name: "burst", duration: artilleryDuration(burstMs), arrivalCount: count });
    const restMs = Math.min(everyMs, forMs - fromMs) - burstMs;
    if (restMs > 0) phases.push({ name: "burst", pause: artilleryDuration(restMs) });
  }
  return phases;
}

/** How many of a trace came before. To be asked in ascending order. */
function arrivedBefore(atMs: readonly number[]): (ms: number) => number {
  let count = 0;
  return (ms) => {
    while ((atMs[count] ?? Number.POSITIVE_INFINITY) < ms) count += 1;
    return count;
  };
}

function artilleryDuration(ms: number): number | string {
  return ms % SECOND_MS === 0 ? ms / SECOND_MS : `${ms}ms`;
}
