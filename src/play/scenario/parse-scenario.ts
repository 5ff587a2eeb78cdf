/**
 * Parses any input into a playable scenario, and counts its requests: those of its steps, and those that its expectations send.
 * A user can override the fields that the world is created from.
 */

import { InputError, renamingField } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { shortened } from "../../base/text.ts";
import { resolveOptions, type SimulatorOptions } from "../../simulator/simulator-options.ts";
import { readableCount } from "../measure/quantities.ts";
import { plannedArrivals } from "../traffic/arrivals.ts";
import { createScope } from "./references.ts";
import { scenarioNode } from "./schema.ts";
import { isReport, isRequest, kindOf } from "./step-kind.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "./types.ts";
import { walk } from "./walk.ts";

/** The most steps of what `record` and `replay` make. */
export const MAX_RECORDED_STEPS = 100_000;

export interface ParseScenarioOptions {
  /** The most requests that the scenario may send. @default 20000000 */
  readonly maxRequests?: number | undefined;
  /** The most steps that it may have, including those of repeat and parallel. @default 10000 */
  readonly maxSteps?: number | undefined;
}

/**
 * Returns a checked, frozen copy. What depends on the world's state, such as a rule that isn't there to heal, is rejected
 * when it is played.
 *
 * @throws InputError whose field is the path to the mistake, such as `steps.3.impression.ad_id`.
 */
export function parseScenario(input: unknown, options: ParseScenarioOptions = {}): Scenario {
  const { maxRequests = 20_000_000, maxSteps = 10_000 } = options;
  const { seed, start, publishers, profile } = Object(input) as SimulatorOptions;
  const { settings } = resolveOptions({ seed, start, publishers, profile });
  const scope = createScope(settings.publishers, maxSteps);
  const scenario = renamingField(
    (field) => shortened(field, 100) || "scenario",
    () => walk(input, scenarioNode, scope),
  ) as Scenario;
  countRequests(scenario, maxRequests);
  return scenario;
}

/** parseScenario for TypeScript: the compiler checks the shape, this function the rest, such as references. */
export const defineScenario: (scenario: Scenario, options?: ParseScenarioOptions) => Scenario =
  parseScenario;

/** A report is read in a copy: make the copy, get a key with its own quota, and ask. */
const REPORT_REQUESTS = 4;
/** Checking all invariants sends about 220 requests, and checking one nearly as many. */
const INVARIANT_REQUESTS = 250;

/** The most requests that a scenario can send. @throws InputError at the step that exceeds `most`. */
export function countRequests(
  { steps, expectations = [] }: Scenario,
  most = Number.POSITIVE_INFINITY,
): number {
  const atTheEnd = expectations.reduce((sum, one) => sum + expectationRequestsOf(one), 0);
  return steps.reduce((total, step, index) => {
    const sum = total + requestsOf(step);
    if (sum <= most) return sum;
    const expected = `brings the scenario to ${readableCount(Math.ceil(sum))} requests or more; the maximum is ${readableCount(most)}. Repeat less often, or send less traffic`;
    throw new InputError(`steps.${index}`, expected, "too-much");
  }, atTheEnd);
}

function requestsOf(step: Step): number {
  if ("traffic" in step) return plannedArrivals(step.traffic);
  if ("parallel" in step) return (step.parallel.times ?? 1) * step.parallel.steps.length;
  if ("repeat" in step)
    return step.repeat.times * step.repeat.steps.reduce((sum, one) => sum + requestsOf(one), 0);
  const kind = kindOf(step);
  if (kind === "expect") return expectationRequestsOf((step as ExpectStep).expect);
  return isRequest(kind) ? 1 : 0;
}

function expectationRequestsOf(expectation: Expectation): number {
  if ("invariant" in expectation) return INVARIANT_REQUESTS;
  return isReport(expectation) ? REPORT_REQUESTS : 0;
}

export type Overrides = Partial<
  Pick<Scenario, "seed" | "start" | "publishers" | "profile" | "assumptions">
>;

/** The unchecked scenario with these fields in place of its own. Assumptions are merged key by key. */
export function withOverrides(scenario: object, overrides: Overrides): object {
  const { assumptions = {}, ...fields } = overrides;
  // If the scenario's own value isn't an object, parsing rejects it later.
  const own = (scenario as { readonly assumptions?: object }).assumptions;
  return {
    ...scenario,
    ...given(fields),
    ...(Object.keys(assumptions).length > 0 && { assumptions: { ...own, ...assumptions } }),
  };
}

/** Whether an error's field is one of the overridden ones. */
export function isOverridden(field: string, overrides: Overrides): boolean {
  const choices = Object.keys(overrides.assumptions ?? {}).map((key) => `assumptions.${key}`);
  return [...Object.keys(given(overrides)), ...choices].includes(field);
}

/** The command-line options that set these overrides. */
export function overrideWords({ assumptions = {}, ...fields }: Overrides): string[] {
  return [
    ...Object.entries(given(fields)).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...Object.entries(assumptions).flatMap(([key, choice]) => ["--assume", `${key}=${choice}`]),
  ];
}
