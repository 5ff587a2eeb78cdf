/** Turns arrivals into phases of Artillery: rates if Artillery keeps to them, otherwise counts, which are exact. */

import { durationMs, HOUR_MS } from "../../base/duration.ts";
import { arrivalPatternOf, rateCurveOf } from "../../play/traffic/arrival-pattern.ts";
import { evenArrivals, sumOf } from "../../play/traffic/rate-curve.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { ratesOf, segmentsOf } from "./rates.ts";

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

/** A time in which so many requests are expected. */
interface Span {
  readonly ms: number;
  readonly expected: number;
}

/** The shortest phase. */
const SECOND_MS = 1000;

/** The phases of a traffic step. `startMs`: the world's time at which it begins. */
export function phasesOf(traffic: Traffic, startMs: number): Phase[] {
  const { arrivals, for: duration } = traffic;
  const { kind } = arrivals;
  const forMs = durationMs(duration);
  const pattern = arrivalPatternOf(arrivals);
  if (pattern.kind === "line") {
    const [from, to] = [pattern.from * SECOND_MS, pattern.to * SECOND_MS];
    const isWhole = [from, to, forMs / SECOND_MS].every(Number.isInteger);
    // Artillery needs whole arrivals a second, and ignores a ramp to 0.
    if (isWhole && to > 0) {
      const common = { name: kind, duration: forMs / SECOND_MS, arrivalRate: from };
      if (from !== to) return [{ ...common, rampTo: to }];
      return [pattern.spacing === "poisson" ? { ...common, mode: "poisson" } : common];
    }
  }
  if (pattern.kind === "line" || pattern.kind === "daily") {
    const { expectedBefore } = rateCurveOf(pattern, forMs, startMs);
    const phaseMs = pattern.kind === "line" ? forMs / 60 : HOUR_MS;
    return countedPhases(kind, spansOf(expectedBefore, forMs, phaseMs));
  }
  const segments = segmentsOf(ratesOf(traffic, startMs, SECOND_MS));
  return countedPhases(
    kind,
    segments.map((segment) => ({ ms: segment.lengthMs, expected: sumOf(segment) })),
  );
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

/** Artillery takes numbers as seconds. */
export function artilleryDuration(ms: number): number | string {
  return ms % SECOND_MS === 0 ? ms / SECOND_MS : `${ms}ms`;
}

/** Spans of `ms`, rounded up to whole seconds. */
function spansOf(expectedBefore: (ms: number) => number, forMs: number, ms: number): Span[] {
  const spans: Span[] = [];
  const lengthMs = Math.max(SECOND_MS, Math.ceil(ms / SECOND_MS) * SECOND_MS);
  for (let fromMs = 0; fromMs < forMs; fromMs += lengthMs) {
    const toMs = Math.min(fromMs + lengthMs, forMs);
    spans.push({ ms: toMs - fromMs, expected: expectedBefore(toMs) - expectedBefore(fromMs) });
  }
  return spans;
}

/** Phases with counts. At the end of each, as many requests have come as in the player with even spacing. */
function countedPhases(name: string, spans: readonly Span[]): Phase[] {
  let [expectedSum, sum] = [0, 0];
  return spans.map(({ ms, expected }) => {
    expectedSum += expected;
    const arrivalCount = evenArrivals(expectedSum) - sum;
    sum += arrivalCount;
    return arrivalCount > 0
      ? { name, duration: artilleryDuration(ms), arrivalCount }
      : { name, pause: artilleryDuration(ms) };
  });
}
