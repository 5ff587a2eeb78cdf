/** What it takes to play a scenario at a service that isn't adsim: what it can't do, how long it waits, what it reads. */

import { durationMs, MINUTE_MS } from "../../base/duration.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { operations } from "../../spec/operations.ts";
import { ordinalsIn } from "../scenario/references.ts";
import { isReport, isRequest, kindOf } from "../scenario/step-kind.ts";
import type { Expectation, Scenario, Step } from "../scenario/types.ts";
import { whyAdvanceIsSkipped } from "./target.ts";

export interface ServicePlan {
  /** What only an adsim has, in words such as `fault rules`, each once. If there is any, the scenario can't pass. */
  readonly impossible: readonly string[];
  /** How long it waits in real time. Requests take time, too. */
  readonly totalMs: number;
  /** How many publishers it needs. */
  readonly publishers: number;
  /** The most GET requests that it sends with one key. */
  readonly reads: number;
}

interface Service {
  /** How many times as fast as real time. @default 1 */
  readonly speed?: number | undefined;
  readonly knownChoices?: Choices | undefined;
}

export function planAtService(scenario: Scenario, service: Service = {}): ServicePlan {
  const { steps, expectations = [], start, assumptions = {}, faults = [] } = scenario;
  const all = [...steps, ...expectations.map((expect): Step => ({ expect }))];
  const plans = all.map((step) => planOf(step, service));
  const impossible = [
    ...(start === undefined ? [] : ["a start time"]),
    ...choicesToMake(assumptions, service.knownChoices),
    ...(faults.length > 0 ? ["fault rules"] : []),
    ...plans.flatMap((plan) => plan.impossible),
  ];
  return {
    impossible: Array.from(new Set(impossible)),
    totalMs: plans.reduce((sum, { ms }) => sum + ms, 0),
    publishers: 1 + Math.max(0, ...ordinalsIn(scenario)),
    reads: plans.reduce((sum, { reads }) => sum + reads, 0),
  };
}

/** The choices, such as `dedup.window=30m`, that a service isn't known to make. */
export function choicesToMake(wanted: Choices, known: Choices = {}): readonly string[] {
  const made: Readonly<Record<string, string | undefined>> = known;
  return Object.entries(wanted)
    .filter(([key, choice]) => choice !== undefined && made[key] !== choice)
    .map(([key, choice]) => `${key}=${choice}`);
}

/** What the steps that only an adsim can play need, in words. */
const needs = {
  assume: "other assumptions",
  fault: "fault rules",
  heal: "fault rules",
  signUp: "sign-ups",
  setSurface: "changes to surfaces",
  rotateKey: "new keys",
} as const;

/** What a step takes, with the steps inside it. */
interface StepPlan {
  readonly impossible: readonly string[];
  readonly ms: number;
  readonly reads: number;
}

const nothing: StepPlan = { impossible: [], ms: 0, reads: 0 };

function planOf(step: Step, service: Service): StepPlan {
  const { speed = 1, knownChoices } = service;
  const kind = kindOf(step);
  if (isRequest(kind)) {
    const isRead =
      kind in operations && operations[kind as keyof typeof operations].method === "GET";
    return { ...nothing, reads: isRead ? 1 : 0 };
  }
  if ("advance" in step) {
    const { advance } = step;
    if (whyAdvanceIsSkipped({ kind: "real", speed }, step) !== undefined)
      return { ...nothing, impossible: ["a clock that can be set"] };
    // The documented limits are per minute.
    const ms = typeof advance === "object" ? MINUTE_MS : durationMs(advance);
    return { ...nothing, ms: ms / speed };
  }
  if ("traffic" in step) return { ...nothing, ms: durationMs(step.traffic.for) / speed };
  if ("repeat" in step) {
    const { times, every = 0, steps } = step.repeat;
    return sumOf(steps, times, durationMs(every) / speed, service);
  }
  if ("parallel" in step) return sumOf(step.parallel.steps, step.parallel.times ?? 1, 0, service);
  if (kind === "expect" && "expect" in step) {
    const expected = step.expect as Expectation;
    const impossible = "audit" in expected ? ["the audit"] : [];
    return { ...nothing, impossible, reads: isReport(expected) ? 1 : 0 };
  }
  if ("assume" in step && choicesToMake(step.assume, knownChoices).length === 0) return nothing;
  return { ...nothing, impossible: [needs[kind as keyof typeof needs]] };
}

/** The steps of a repeat or parallel. */
function sumOf(steps: readonly Step[], times: number, everyMs: number, service: Service): StepPlan {
  const plans = steps.map((step) => planOf(step, service));
  return {
    impossible: plans.flatMap(({ impossible }) => impossible),
    ms: times * plans.reduce((sum, { ms }) => sum + ms, everyMs),
    reads: times * plans.reduce((sum, { reads }) => sum + reads, 0),
  };
}
