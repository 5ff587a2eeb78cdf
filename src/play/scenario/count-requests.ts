/** Counts the requests of a scenario: those of its steps, and those that its expectations send. */

import { InputError, inField } from "../../base/input.ts";
import { readableCount } from "../measure/quantities.ts";
import { plannedArrivals } from "../traffic/arrivals.ts";
import { isReport, isRequest, kindOf } from "./step-kind.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "./types.ts";

/** A report is read in a scratch copy: make the copy, get a key with its own quota, and ask. */
const REPORT_REQUESTS = 4;
/** Checking all invariants sends about 220 requests, and checking one nearly as many. */
const INVARIANT_REQUESTS = 250;

/** The most requests that a scenario can send. @throws InputError at the step that exceeds `most`. */
export function countRequests(
  { steps, expectations = [] }: Scenario,
  most = Number.POSITIVE_INFINITY,
): number {
  let total = 0;
  const add = (count: number, field: string): void => {
    total += count;
    if (total <= most) return;
    const expected = `brings the scenario to ${written(total)} requests or more; the maximum is ${written(most)}. Repeat less often, or send less traffic`;
    throw new InputError(field, expected, "too-much");
  };
  steps.forEach((step, index) => {
    add(
      inField(`steps.${index}`, () => requestsOf(step)),
      `steps.${index}`,
    );
  });
  expectations.forEach((one, index) => {
    add(expectationRequestsOf(one), `expectations.${index}`);
  });
  return total;
}

function requestsOf(step: Step): number {
  if ("traffic" in step) return inField("traffic", () => plannedArrivals(step.traffic));
  if ("parallel" in step) return (step.parallel.times ?? 1) * step.parallel.steps.length;
  if ("repeat" in step) {
    const { times, steps } = step.repeat;
    return times * steps.reduce((sum, one) => sum + requestsOf(one), 0);
  }
  const kind = kindOf(step);
  if (kind === "expect") return expectationRequestsOf((step as ExpectStep).expect);
  return isRequest(kind) ? 1 : 0;
}

function expectationRequestsOf(expectation: Expectation): number {
  if ("invariant" in expectation) return INVARIANT_REQUESTS;
  return isReport(expectation) ? REPORT_REQUESTS : 0;
}

/** "12,345", or "1e+20" for very large counts. */
function written(count: number): string {
  return count >= 1e15 ? count.toExponential(0) : readableCount(Math.ceil(count));
}
