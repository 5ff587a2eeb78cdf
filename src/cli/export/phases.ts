/** Turns arrivals into phases of Artillery: rates if Artillery keeps to them, otherwise counts, which are exact. */

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
/** A recorded trace becomes at most this many phases. */
const MAX_TRACE_PHASES = 600;

/** The phases of a traffic step. `startMs`: the world's time at which it begins. */
export function phasesOf({ arrivals, for: duration }: Traffic, startMs: number): Phase[] {
  const forMs = durationMs(duration);
  const pattern = arrivalPatternOf(arrivals);
  switch (pattern.kind) {
    case "line": {
      const [from, to] = [pattern.from * SECOND_MS, pattern.to * SECOND_MS];
      const isWhole = [from, to, forMs / SECOND_MS].every(Number.isInteger);
      // Artillery needs whole arrivals a second, and ignores a ramp to 0.
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
      const seconds = Math.ceil(forMs / SECOND_MS / MAX_TRACE_PHASES);
      return countedPhases(arrivals.kind, arrivedBefore(pattern.atMs), forMs, seconds * SECOND_MS);
    }
  }

  function before(ms: number): number {
    if (pattern.kind !== "line" && pattern.kind !== "daily") return 0;
    return rateCurveOf(pattern, forMs, startMs).expectedBefore(ms);
  }
}

/** The planned number of requests of the phases, without clicks. */
export function totalOf(phases: readonly Phase[]): number {
  return phases.reduce((total, phase) => {
    if ("pause" in phase) return total;
    if ("arrivalCount" in phase) return total + phase.arrivalCount;
    const { arrivalRate, rampTo = arrivalRate, duration } = phase;
    return total + ((arrivalRate + rampTo) / 2) * Number(duration);
  }, 0);
}

/** Phases with counts. Their running sum never differs by more than a half from the expected number. */
function countedPhases(
  name: string,
  expectedBefore: (ms: number) => number,
  forMs: number,
  phaseMs: number,
): Phase[] {
  const phases: Phase[] = [];
  // Whole seconds, at least one.
  const lengthMs = Math.max(SECOND_MS, Math.ceil(phaseMs / SECOND_MS) * SECOND_MS);
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
  // The shortest phase is a second.
  const burstMs = Math.min(Math.max(shape.withinMs, SECOND_MS), periodMs);
  const phases: Phase[] = [];
  for (let fromMs = 0; fromMs < forMs; fromMs += everyMs) {
    phases.push({ name: "burst", duration: artilleryDuration(burstMs), arrivalCount: count });
    const restMs = Math.min(everyMs, forMs - fromMs) - burstMs;
    if (restMs > 0) phases.push({ name: "burst", pause: artilleryDuration(restMs) });
  }
  return phases;
}

/** How many arrivals of a trace came before `ms`. Call it with ascending times. */
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
