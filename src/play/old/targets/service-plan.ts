/** What it takes to play a scenario at a service that isn't adsim: what it can't do, how long it waits, what it reads. */

import { durationMs, MINUTE_MS } from "../../../base/duration.ts";
import { documentedLimits, operations } from "../../../spec/operations.ts";
import { isReport, isRequest, kindOf } from "../../scenario/step-kind.ts";
import type { Expectation, PublisherRef, Scenario, Step } from "../../scenario/types.ts";
import { whyAdvanceIsSkipped } from "../player/do-step.ts";
import { type Capabilities, makesChoices } from "../player/effects.ts";
import { ordinalsIn } from "../player/values.ts";

export interface ServicePlan {
  /** What only an adsim has, in words such as `fault rules`, each once. If there is any, the result can't be `held`. */
  readonly impossible: readonly string[];
  /** How long each step waits in real time, at the top level. */
  readonly stepsMs: readonly number[];
  /** How long the scenario waits in all. Requests take time, too. */
  readonly totalMs: number;
  /** How many publishers it needs. */
  readonly publishers: number;
  /** The most GET requests that it sends with one key. */
  readonly reads: number;
  /** Whether the service is asked for each publisher's surfaces first. The answer also says how much quota is left. */
  readonly asksSurfaces: boolean;
}

/** `speed`: how many times as fast as real time. @default 1 */
export function planAtService(
  scenario: Scenario,
  { speed = 1, ...known }: { speed?: number | undefined } & Pick<Capabilities, "knownChoices">,
): ServicePlan {
  const { steps, expectations = [], start, assumptions = {}, faults = [] } = scenario;
  const capabilities = { time: { kind: "real", speed }, control: false, ...known } as const;
  const impossible = new Set<string>();
  if (start !== undefined) impossible.add(needs.start);
  for (const [key, choice] of Object.entries(assumptions))
    if (!makesChoices(capabilities, { [key]: choice })) impossible.add(`${key}=${choice}`);
  if (faults.length > 0) impossible.add(needs.fault);
  const plans = [...steps, ...expectations.map((expect) => ({ expect }))].map((step) =>
    planOf(step, capabilities),
  );
  for (const plan of plans) for (const what of plan.impossible) impossible.add(what);
  const reads = plans.reduce((sum, plan) => sum + plan.reads, 0);
  const needsSurfaces = plans.some((plan) => plan.needsSurfaces) || namesSurfaces(scenario);
  const waits = plans.slice(0, steps.length).map(({ ms }) => ms);
  // A play that counts requests up to the limit begins when the look-up doesn't count any more.
  const lookUpMs = needsSurfaces && reads >= READ_LIMIT ? MINUTE_MS : 0;
  return {
    impossible: Array.from(impossible),
    stepsMs: waits,
    totalMs: waits.reduce((sum, ms) => sum + ms, lookUpMs),
    publishers:
      1 + Math.max(0, ...ordinalsIn(scenario), ...plans.flatMap((plan) => plan.publishers)),
    reads,
    asksSurfaces: needsSurfaces || (reads > 0 && reads < READ_LIMIT),
  };
}

/** What the steps that only an adsim can play need, in words. */
const needs = {
  start: "a start time",
  assume: "other assumptions",
  fault: "fault rules",
  heal: "fault rules",
  signUp: "sign-ups",
  setSurface: "changes to surfaces",
  rotateKey: "new keys",
  audit: "the audit",
  setClock: "a clock that can be set",
} as const;

export const READ_LIMIT = documentedLimits.reporting.requests;

/** What a step takes, with the steps inside it. */
interface StepPlan {
  readonly impossible: readonly string[];
  readonly ms: number;
  readonly reads: number;
  readonly needsSurfaces: boolean;
  /** Ordinals. */
  readonly publishers: readonly number[];
}

type RealTime = Capabilities & { readonly time: { readonly speed: number } };

function planOf(step: Step, capabilities: RealTime): StepPlan {
  const { speed } = capabilities.time;
  const kind = kindOf(step);
  const publishers = publishersOf(step);
  const nothing = { impossible: [], ms: 0, reads: 0, needsSurfaces: false, publishers };
  if (isRequest(kind)) {
    const isRead =
      kind in operations && operations[kind as keyof typeof operations].method === "GET";
    const lacksSurface = "impression" in step && step.impression?.surface === undefined;
    return { ...nothing, reads: isRead ? 1 : 0, needsSurfaces: lacksSurface };
  }
  if ("advance" in step) {
    const { advance } = step;
    if (whyAdvanceIsSkipped(capabilities, step) !== undefined)
      return { ...nothing, impossible: [needs.setClock] };
    // The documented limits are per minute.
    const ms = typeof advance === "object" ? MINUTE_MS : durationMs(advance);
    return { ...nothing, ms: ms / speed };
  }
  if ("traffic" in step)
    return { ...nothing, ms: durationMs(step.traffic.for) / speed, needsSurfaces: true };
  if ("repeat" in step) {
    const { times, every = 0, steps } = step.repeat;
    return sumOf(steps, times, durationMs(every) / speed, capabilities);
  }
  if ("parallel" in step)
    return sumOf(step.parallel.steps, step.parallel.times ?? 1, 0, capabilities);
  if ("assume" in step && makesChoices(capabilities, step.assume)) return nothing;
  if (kind === "expect" && "expect" in step) {
    const expected = step.expect as Expectation;
    return {
      ...nothing,
      impossible: "audit" in expected ? [needs.audit] : [],
      reads: isReport(expected) ? 1 : 0,
    };
  }
  return { ...nothing, impossible: [needs[kind as keyof typeof needs] ?? kind] };
}

/** The steps of a repeat or parallel. */
function sumOf(
  steps: readonly Step[],
  times: number,
  everyMs: number,
  capabilities: RealTime,
): StepPlan {
  const plans = steps.map((step) => planOf(step, capabilities));
  return {
    impossible: plans.flatMap(({ impossible }) => impossible),
    ms: times * plans.reduce((sum, { ms }) => sum + ms, everyMs),
    reads: times * plans.reduce((sum, { reads }) => sum + reads, 0),
    needsSurfaces: plans.some(({ needsSurfaces }) => needsSurfaces),
    publishers: plans.flatMap(({ publishers }) => publishers),
  };
}

/** Ordinals of the publishers that the step itself names. */
function publishersOf(step: Step): readonly number[] {
  if ("traffic" in step) return (step.traffic.publishers ?? []).filter(isOrdinal);
  const holder = "expect" in step && kindOf(step) === "expect" ? step.expect : step;
  const { publisher } = holder as { readonly publisher?: PublisherRef };
  return isOrdinal(publisher) ? [publisher] : [];
}

function isOrdinal(publisher: PublisherRef | undefined): publisher is number {
  return typeof publisher === "number";
}

/** Whether a reference leads to a surface, such as `publishers.0.surfaces.1.id`. */
function namesSurfaces(scenario: Scenario): boolean {
  return /"publishers\.\d+\.surfaces/.test(JSON.stringify(scenario));
}
