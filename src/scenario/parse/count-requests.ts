/** How much playing a scenario takes at most: requests, those that expectations ask aside among them, and steps. */

import { InputError, inField } from "../../base/input.ts";
import { readableCount } from "../measure/quantities.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "../scenario.ts";
import { isRequest, kindOf } from "../step-kind.ts";
import { plannedArrivals } from "../traffic/arrival-pattern.ts";

interface Plan {
  readonly requests: number;
  /** Steps, each as often as it is played. */
  readonly played: number;
}

/** What asking the service aside takes: a world aside, a key with a quota of its own, and the question. */
const ASIDE_REQUESTS = 4;
/** Some 220 are sent to try them all, and few fewer for one. */
const INVARIANT_REQUESTS = 250;
/** Steps that are played at most, where no more requests are planned. */
const MOST_PLAYED = 1_000_000;

/** @throws InputError at the step with which it becomes more than `most`. */
export function checkCounts(scenario: Scenario, most: number): void {
  planWhole(scenario, most);
}

/** How many requests a scenario plans at most. */
export function countRequests(scenario: Scenario): number {
  return planWhole(scenario, Number.POSITIVE_INFINITY).requests;
}

function planWhole({ steps, expectations = [] }: Scenario, most: number): Plan {
  const plan = planOf(steps, "steps", 1, { requests: 0, played: 0 }, most);
  const ends = expectations.map((expect) => ({ expect }));
  return planOf(ends, "expectations", 1, plan, most);
}

/** `times`: how often these steps are played. */
function planOf(
  steps: readonly Step[],
  path: string,
  times: number,
  before: Plan,
  most: number,
): Plan {
  let plan = before;
  steps.forEach((step, index) => {
    const at = `${path}.${index}`;
    const requests = inField(at, () => requestsOf(step));
    plan = { requests: plan.requests + times * requests, played: plan.played + times };
    check(plan, at, most);
    if ("repeat" in step) {
      const within = `${at}.repeat.steps`;
      plan = planOf(step.repeat.steps, within, times * step.repeat.times, plan, most);
    }
  });
  return plan;
}

/** Those that the step itself sends. */
function requestsOf(step: Step): number {
  if ("traffic" in step) return inField("traffic", () => plannedArrivals(step.traffic));
  if ("parallel" in step) return (step.parallel.times ?? 1) * step.parallel.steps.length;
  if (kindOf(step) === "expect") return asideOf((step as ExpectStep).expect);
  return isRequest(kindOf(step)) ? 1 : 0;
}

function asideOf(expectation: Expectation): number {
  if ("invariant" in expectation) return INVARIANT_REQUESTS;
  return "is" in expectation && !("of" in expectation) ? ASIDE_REQUESTS : 0;
}

function check({ requests, played }: Plan, at: string, most: number): void {
  if (requests <= most && played <= Math.max(most, MOST_PLAYED)) return;
  const [count, what, bound] =
    requests > most
      ? [requests, "requests", most]
      : [played, "steps to play", Math.max(most, MOST_PLAYED)];
  throw new InputError(
    at,
    `makes the scenario plan ${written(count)} ${what} or more, and ${written(bound)} is the most. ` +
      "Repeat it less often, or send less traffic",
  );
}

/** With commas; of very many the power of ten. */
function written(count: number): string {
  if (count >= 1e15) return count.toExponential(0);
  return readableCount(Math.ceil(count));
}
