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

/** @throws InputError at the step that exceeds `most`. */
export function checkRequests(scenario: Scenario, most: number): void {
  const { steps, expectations = [] } = scenario;
  const total = totalAfter(steps, "steps", { times: 1, total: 0, most });
  const ends = expectations.map((expect) => ({ expect }));
  totalAfter(ends, "expectations", { times: 1, total, most });
}

/** The most requests that a scenario can send. */
export function countRequests({ steps, expectations = [] }: Scenario): number {
  const all = [...steps, ...expectations.map((expect) => ({ expect }))];
  return totalAfter(all, "steps", { times: 1, total: 0, most: Number.POSITIVE_INFINITY });
}

interface Count {
  /** How often these steps are played. */
  readonly times: number;
  /** The requests before them. */
  readonly total: number;
  readonly most: number;
}

function totalAfter(steps: readonly Step[], path: string, before: Count): number {
  const { times, most } = before;
  let { total } = before;
  steps.forEach((step, index) => {
    const at = `${path}.${index}`;
    total += times * inField(at, () => requestsOf(step));
    if (total > most) {
      throw new InputError(
        at,
        `brings the scenario to ${written(total)} requests or more; the maximum is ${written(most)}. ` +
          "Repeat less often, or send less traffic",
        "too-much",
      );
    }
    if (!("repeat" in step)) return;
    const within = { times: times * step.repeat.times, total, most };
    total = totalAfter(step.repeat.steps, `${at}.repeat.steps`, within);
  });
  return total;
}

/** The requests of the step itself, without its inner steps. */
function requestsOf(step: Step): number {
  if ("traffic" in step) return inField("traffic", () => plannedArrivals(step.traffic));
  if ("parallel" in step) return (step.parallel.times ?? 1) * step.parallel.steps.length;
  if (kindOf(step) === "expect") return expectationRequestsOf((step as ExpectStep).expect);
  return isRequest(kindOf(step)) ? 1 : 0;
}

function expectationRequestsOf(expectation: Expectation): number {
  if ("invariant" in expectation) return INVARIANT_REQUESTS;
  return isReport(expectation) ? REPORT_REQUESTS : 0;
}

/** "12,345", or "1e+20" for very large counts. */
function written(count: number): string {
  if (count >= 1e15) return count.toExponential(0);
  return readableCount(Math.ceil(count));
}
