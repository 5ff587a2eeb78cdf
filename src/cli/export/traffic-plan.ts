/** Lists a scenario's traffic steps in order with their start, and everything else, which no load generator can do. */

import { parseInstant } from "../../base/calendar.ts";
import { durationMs } from "../../base/duration.ts";
import { worldOptionsOf } from "../../play/play-scenario.ts";
import { kindOf } from "../../play/scenario/step-kind.ts";
import type { Scenario, Step } from "../../play/scenario/types.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import type { PlannedTraffic } from "./load-tool.ts";

/** Each kind of step that is left out is listed with at most this many places. */
const MAX_PLACES = 3;

export interface TrafficPlan {
  readonly steps: readonly PlannedTraffic[];
  readonly leftOut: readonly string[];
}

export function planOf(scenario: Scenario): TrafficPlan {
  const { seed, startMs } = resolveOptions(worldOptionsOf(scenario)).settings;
  const traffic: PlannedTraffic[] = [];
  const skipped = new Map<string, Set<string>>();
  let nowMs = startMs;

  function walk(steps: readonly Step[], path: string): void {
    for (const [index, step] of steps.entries()) walkOne(step, `${path}.${index}`);
  }
  function walkOne(step: Step, at: string): void {
    if ("traffic" in step) {
      const { traffic: sent, as: name, expect } = step;
      traffic.push({ traffic: sent, name, startMs: nowMs, number: traffic.length, seed });
      nowMs += durationMs(sent.for);
      if (expect !== undefined) skip("expect", at);
    } else if ("repeat" in step) {
      const { times, every = 0, steps } = step.repeat;
      // Without traffic one round is enough.
      const rounds = hasTraffic(steps) ? times : 1;
      if (rounds > 1 && durationMs(every) > 0) skip("every", at);
      for (let round = 0; round < rounds; round += 1) {
        walk(steps, `${at}.repeat.steps`);
        nowMs += durationMs(every);
      }
    } else {
      if ("advance" in step) nowMs = afterAdvance(step.advance, nowMs);
      skip(kindOf(step), at);
    }
  }
  function skip(what: string, at: string): void {
    skipped.set(what, (skipped.get(what) ?? new Set()).add(at));
  }

  walk(scenario.steps, "steps");
  const stepsLeftOut = Array.from(skipped, ([what, places]) => `${what}: ${listed([...places])}`);
  return { steps: traffic, leftOut: [...settingsLeftOut(scenario), ...stepsLeftOut] };
}

function settingsLeftOut(scenario: Scenario): readonly string[] {
  const advice = {
    faults: "start adsim with --faults FILE",
    assumptions: "start adsim with --assume KEY=CHOICE",
    expectations: "check GET /_sim/audit yourself",
  } as const;
  return Object.entries(advice)
    .filter(([name]) => Object.keys(scenario[name as keyof typeof advice] ?? {}).length > 0)
    .map(([name, what]) => `${name}: ${what}`);
}

function listed(places: readonly string[]): string {
  const shown = places.slice(0, MAX_PLACES).join(", ");
  return places.length > MAX_PLACES ? `${shown} and ${places.length - MAX_PLACES} more` : shown;
}

function hasTraffic(steps: readonly Step[]): boolean {
  return steps.some(
    (step) => "traffic" in step || ("repeat" in step && hasTraffic(step.repeat.steps)),
  );
}

/** The time after an advance, as far as it is known without playing: a daily curve depends on the hour. */
function afterAdvance(
  advance: Extract<Step, { advance: unknown }>["advance"],
  nowMs: number,
): number {
  if (typeof advance !== "object") return nowMs + durationMs(advance);
  return "to" in advance ? (parseInstant(advance.to) ?? nowMs) : nowMs;
}
