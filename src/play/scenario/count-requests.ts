/** Counts the requests of a scenario: those of its steps, and those that its expectations send. */

import { InputError } from "../../base/input.ts";
import { readableCount } from "../measure/quantities.ts";
import { plannedArrivals } from "../traffic/arrivals.ts";
import { isReport, isRequest, kindOf } from "./step-kind.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "./types.ts";

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
