/** What a load generator is given of a scenario: its traffic steps in order. Everything else is left out, and listed. */

import { parseInstant } from "../../base/calendar.ts";
import { counted } from "../../base/counted.ts";
import { durationMs } from "../../base/duration.ts";
import { worldOptionsOf } from "../../play/play-scenario.ts";
import { kindOf } from "../../play/scenario/step-kind.ts";
import type { Scenario, Step } from "../../play/scenario/types.ts";
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

export interface PlannedTraffic {
  readonly traffic: Traffic;
  /** The step's `as`. */
  readonly name: string | undefined;
  /** The world's time at which it begins, as far as it is known without playing: a daily curve depends on the hour. */
  readonly startMs: number;
  /** Its place among the traffic steps, from 0. */
  readonly number: number;
  /** The scenario's. */
  readonly seed: string;
}

export interface LoadPlan {
  /** The scenario's name. */
  readonly name: string;
  /** In order; at least one. */
  readonly steps: readonly (PlannedTraffic & { readonly senders: readonly Sender[] })[];
  readonly thresholds: readonly string[];
  /** The base URL, without a slash at the end. */
  readonly target: string;
  /** Where the load is written to; undefined for standard output. */
  readonly out: string | undefined;
}

/** What a tool makes of it. */
export interface Load {
  /** In the order in which they are written. A file is undefined for standard output. */
  readonly files: readonly { readonly file: string | undefined; readonly content: string }[];
  /** What the tool can't do, although the scenario asks for it. */
  readonly leftOut: readonly string[];
  /** The line for a shell that runs it. */
  readonly runLine: string;
}

export function planOf(scenario: Scenario): {
  readonly steps: readonly PlannedTraffic[];
  readonly leftOut: readonly string[];
} {
  const { seed, startMs } = resolveOptions(worldOptionsOf(scenario)).settings;
  const planned: PlannedTraffic[] = [];
  const skipped = new Map<string, Set<Step>>();
  let nowMs = startMs;

  function skip(what: string, step: Step): void {
    skipped.set(what, (skipped.get(what) ?? new Set()).add(step));
  }
  function walk(steps: readonly Step[]): void {
    for (const step of steps) {
      if ("traffic" in step) {
        const { traffic, as: name, expect } = step;
        planned.push({ traffic, name, startMs: nowMs, number: planned.length, seed });
        nowMs += durationMs(traffic.for);
        if (expect !== undefined) skip("expect", step);
      } else if ("repeat" in step) {
        const { times, every = 0, steps: inside } = step.repeat;
        if (durationMs(every) > 0) skip("every", step);
        for (let round = 0; round < times; round += 1) {
          walk(inside);
          nowMs += durationMs(every);
        }
      } else {
        if ("advance" in step) {
          const { advance } = step;
          if (typeof advance !== "object") nowMs += durationMs(advance);
          else if ("to" in advance) nowMs = parseInstant(advance.to) ?? nowMs;
        }
        skip(kindOf(step), step);
      }
    }
  }
  walk(scenario.steps);
  const kinds = Array.from(skipped, ([what, steps]) => `${what}: ${counted(steps.size, "step")}`);
  return { steps: planned, leftOut: [...settingsLeftOut(scenario), ...kinds] };
}

function settingsLeftOut({ faults, assumptions, expectations }: Scenario): readonly string[] {
  const settings = [
    [faults, "faults: start adsim with --faults FILE"],
    [assumptions, "assumptions: start adsim with --assume KEY=CHOICE"],
    [expectations, "expectations: check GET /_sim/audit yourself"],
  ] as const;
  return settings.flatMap(([set = {}, what]) => (Object.keys(set).length === 0 ? [] : [what]));
}
