/** The steps of a scenario in the making, with the time between them. */

import type { Duration } from "../../base/duration.ts";
import type { Step } from "../scenario/types.ts";

export function createScript(startMs: number) {
  const steps: Step[] = [];
  let nowMs = startMs;
  return {
    steps,
    add: (step: Step): unknown => steps.push(step),
    /** Lets time pass until then. */
    advanceTo(ms: number): void {
      if (ms <= nowMs) return;
      steps.push({ advance: durationOf(ms - nowMs) });
      nowMs = ms;
    },
  };
}

function durationOf(ms: number): Duration {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
