/** Plans a load: the scenario's traffic steps in order with their start, and a list of what is left out. */

import { parseInstant } from "../../base/calendar.ts";
import { durationMs } from "../../base/duration.ts";
import { worldOf } from "../../play/player/play-in-process.ts";
import { kindOf } from "../../play/scenario/step-kind.ts";
import type { Scenario, Step, TrafficStep } from "../../play/scenario/types.ts";
import { sendsImpressions, timeoutMsOf } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { wrongUsage } from "../output/exit.ts";
import type { PlannedTraffic, ToolLimits, TrafficPart } from "./load-tool.ts";

export interface TrafficPlan {
  readonly trafficSteps: readonly Omit<PlannedTraffic, "senders">[];
  readonly leftOut: readonly string[];
}

/** A longer load isn't useful. */
const MAX_TRAFFIC_STEPS = 1000;
/** Each kind of step that is left out is listed with at most this many places. */
const MAX_PLACES = 3;

export function planOf(scenario: Scenario, limits: ToolLimits): TrafficPlan {
  const { settings } = resolveOptions(worldOf(scenario));
  const trafficSteps: TrafficPlan["trafficSteps"][number][] = [];
  const skipped = new Map<string, string[]>();
  let nowMs = settings.startMs;

  function walk(steps: readonly Step[], path: string): void {
    for (const [index, step] of steps.entries()) walkOne(step, `${path}.${index}`);
  }
  function walkOne(step: Step, at: string): void {
    if ("traffic" in step) addTraffic(step, at);
    else if ("repeat" in step) {
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
  function addTraffic({ traffic, expect, as: name }: TrafficStep, at: string): void {
    if (trafficSteps.length === MAX_TRAFFIC_STEPS) {
      throw wrongUsage(
        `The scenario has more than ${MAX_TRAFFIC_STEPS} traffic steps, too many for a load generator.`,
      );
    }
    trafficSteps.push({ traffic, name, startMs: nowMs });
    nowMs += durationMs(traffic.for);
    for (const part of limits.lacks) if (has[part](traffic)) skip(part, at);
    if (expect !== undefined) skip("expect", at);
  }
  function skip(what: string, at: string): void {
    const places = skipped.get(what) ?? [];
    if (!places.includes(at)) places.push(at);
    skipped.set(what, places);
  }

  walk(scenario.steps, "steps");
  const timeouts = new Set(trafficSteps.map(({ traffic }) => timeoutMsOf(traffic)));
  const isMixed = limits.mixesSteps && differ(trafficSteps.map(({ traffic }) => traffic));
  return {
    trafficSteps,
    leftOut: [
      ...settingsLeftOut(scenario, limits),
      ...[...skipped].map(([what, places]) => `${what}: ${placesOf(places)}`),
      ...(isMixed ? [MIXED] : []),
      ...(limits.hasOneTimeout && timeouts.size > 1 ? [ONE_TIMEOUT] : []),
    ],
  };
}

const has: Readonly<Record<TrafficPart, (traffic: Traffic) => boolean>> = {
  clicks: (traffic) => (traffic.clicks?.rate ?? 0) > 0 && sendsImpressions(traffic),
  repeatedSessions: ({ repeatedSessions = 0 }) => repeatedSessions > 0,
  poisson: ({ arrivals }) =>
    arrivals.kind === "poisson" || ("spacing" in arrivals && arrivals.spacing === "poisson"),
};

function settingsLeftOut(scenario: Scenario, { aboutThresholds }: ToolLimits): readonly string[] {
  const advice = {
    faults: "start adsim with --faults FILE",
    assumptions: "start adsim with --assume KEY=CHOICE",
    expectations: "check GET /_sim/audit yourself",
    thresholds: aboutThresholds,
  } as const;
  return (Object.keys(advice) as (keyof typeof advice)[]).flatMap((name) => {
    const isGiven = Object.keys(scenario[name] ?? {}).length > 0;
    return isGiven && advice[name] !== undefined ? [`${name}: ${advice[name]}`] : [];
  });
}

const MIXED =
  "the traffic steps send different requests: the script mixes them in all phases, in the right amounts";

const ONE_TIMEOUT = "the traffic steps have different timeouts: all requests have the longest";

function differ(traffic: readonly Traffic[]): boolean {
  const asked = traffic.map(({ for: _, arrivals: _arrivals, ...rest }) => JSON.stringify(rest));
  return new Set(asked).size > 1;
}

function placesOf(places: readonly string[]): string {
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
