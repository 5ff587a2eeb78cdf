/** How much playing a scenario takes at most: requests, those that expectations ask aside among them, and steps. */

import { InputError, inField } from "../../../base/input.ts";
import { readableCount } from "../../measure/quantities.ts";
import { plannedArrivals } from "../../traffic/arrival-pattern.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "../scenario.ts";
import { isRequest, kindOf, type StepKind } from "../step-kind.ts";

interface Plan {
  readonly requests: number;
  /** Steps, each as often as it is played. */
  readonly played: number;
  /** How long all of it takes, in requests. */
  readonly cost: number;
  readonly signUps: number;
}

/** What may be planned at most. */
interface Bounds {
  readonly requests: number;
  readonly cost: number;
}

/** How long a step takes, beside the requests that it sends: measured, and rounded up. */
const stepCosts: Readonly<Record<StepKind, number>> = {
  impression: 0,
  click: 0,
  stats: 0,
  surfaces: 0,
  payouts: 0,
  raw: 0,
  advance: 1,
  traffic: 1,
  // The world is made anew.
  assume: 40,
  // All rules are looked at, and there can be a thousand.
  fault: 20,
  heal: 20,
  // A publisher with a name and a book, which is copied and audited in the end.
  signUp: 40,
  setSurface: 2,
  rotateKey: 2,
  repeat: 1,
  parallel: 1,
  expect: 1,
};
/** An audit looks at every publisher that did anything. */
const AUDIT_COST = 2;
const AUDITED_PUBLISHER_COST = 0.2;

/** What asking the service aside takes: a world aside, a key with a quota of its own, and the question. */
const REPORT_REQUESTS = 4;
/** Some 220 are sent to try them all, and few fewer for one. */
const INVARIANT_REQUESTS = 250;
/** Steps that are played at most, where no more requests are planned. */
const MAX_PLAYED = 1_000_000;

/** @throws InputError at the step with which it becomes more than `most`. */
export function checkCounts(
  scenario: Scenario,
  requests: number,
  cost: number = Number.POSITIVE_INFINITY,
): void {
  planWhole(scenario, { requests, cost });
}

/** How many requests a scenario plans at most. */
export function countRequests(scenario: Scenario): number {
  const requests = Number.POSITIVE_INFINITY;
  return planWhole(scenario, { requests, cost: requests }).requests;
}

function planWhole({ steps, expectations = [] }: Scenario, bounds: Bounds): Plan {
  const nothing = { requests: 0, played: 0, cost: 0, signUps: 0 };
  const plan = planOf(steps, "steps", 1, nothing, bounds);
  const ends = expectations.map((expect) => ({ expect }));
  return planOf(ends, "expectations", 1, plan, bounds);
}

/** `times`: how often these steps are played. */
function planOf(
  steps: readonly Step[],
  path: string,
  times: number,
  before: Plan,
  bounds: Bounds,
): Plan {
  let plan = before;
  steps.forEach((step, index) => {
    const at = `${path}.${index}`;
    const requests = inField(at, () => requestsOf(step));
    const signUps = plan.signUps + ("signUp" in step ? times : 0);
    plan = {
      requests: plan.requests + times * requests,
      played: plan.played + times,
      cost: plan.cost + times * (requests + costOf(step, signUps)),
      signUps,
    };
    check(plan, at, bounds);
    if ("repeat" in step) {
      const within = `${at}.repeat.steps`;
      plan = planOf(step.repeat.steps, within, times * step.repeat.times, plan, bounds);
    }
  });
  return plan;
}

/** Those that the step itself sends. */
function requestsOf(step: Step): number {
  if ("traffic" in step) return inField("traffic", () => plannedArrivals(step.traffic));
  if ("parallel" in step) return (step.parallel.times ?? 1) * step.parallel.steps.length;
  if (kindOf(step) === "expect") return expectationRequestsOf((step as ExpectStep).expect);
  return isRequest(kindOf(step)) ? 1 : 0;
}

function expectationRequestsOf(expectation: Expectation): number {
  if ("invariant" in expectation) return INVARIANT_REQUESTS;
  return "is" in expectation && !("of" in expectation) ? REPORT_REQUESTS : 0;
}

function costOf(step: Step, signUps: number): number {
  const kind = kindOf(step);
  const isAudit = kind === "expect" && "audit" in (step as ExpectStep).expect;
  return isAudit ? AUDIT_COST + AUDITED_PUBLISHER_COST * signUps : stepCosts[kind];
}

function check({ requests, played, cost }: Plan, at: string, bounds: Bounds): void {
  const mostPlayed = Math.max(bounds.requests, MAX_PLAYED);
  const over = [
    { planned: requests, what: "requests", most: bounds.requests },
    { planned: played, what: "steps to play", most: mostPlayed },
    { planned: cost, what: "requests, or what takes as long as so many,", most: bounds.cost },
  ].find(({ planned, most: bound }) => planned > bound);
  if (over === undefined) return;
  throw new InputError(
    at,
    `makes the scenario plan ${written(over.planned)} ${over.what} or more, and ${written(over.most)} is the most. ` +
      "Repeat it less often, or send less traffic",
    "too-much",
  );
}

/** With commas; of very many the power of ten. */
function written(count: number): string {
  if (count >= 1e15) return count.toExponential(0);
  return readableCount(Math.ceil(count));
}
