/** Bounds the work of playing a scenario: its steps, its requests, and those that its expectations send. */

import { InputError, inField } from "../../../base/input.ts";
import { readableCount } from "../../measure/quantities.ts";
import { plannedArrivals } from "../../traffic/arrival-pattern.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "../scenario.ts";
import { isRequest, kindOf, type StepKind } from "../step-kind.ts";

interface Plan {
  readonly requests: number;
  /** Steps, each counted as often as it is played. */
  readonly played: number;
  /** Total duration, in units of one request. */
  readonly cost: number;
  readonly signUps: number;
}

interface Bounds {
  readonly requests: number;
  readonly cost: number;
}

/** How long a step takes beside its requests, in units of one request. Measured, and rounded up. */
const stepCosts: Readonly<Record<StepKind, number>> = {
  impression: 0,
  click: 0,
  stats: 0,
  surfaces: 0,
  payouts: 0,
  raw: 0,
  advance: 1,
  traffic: 1,
  // The world is created again.
  assume: 40,
  // Reads all rules, up to a thousand.
  fault: 20,
  heal: 20,
  // Creates a publisher with a name and a book, which is copied and audited at the end.
  signUp: 40,
  setSurface: 2,
  rotateKey: 2,
  repeat: 1,
  parallel: 1,
  expect: 1,
};
/** An audit reads every publisher that did anything. */
const AUDIT_COST = 2;
const AUDITED_PUBLISHER_COST = 0.2;

/** A report is read in a scratch copy: make the copy, get a key with its own quota, and ask. */
const REPORT_REQUESTS = 4;
/** Checking all invariants sends about 220 requests, and checking one nearly as many. */
const INVARIANT_REQUESTS = 250;
/** The step limit, unless the request limit is higher. */
const MAX_PLAYED = 1_000_000;

/** @throws InputError at the step that exceeds `requests` or `cost`. */
export function checkCounts(
  scenario: Scenario,
  requests: number,
  cost: number = Number.POSITIVE_INFINITY,
): void {
  planWhole(scenario, { requests, cost });
}

/** The most requests that a scenario can send. */
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

/** The requests of the step itself, without its inner steps. */
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
    { planned: played, what: "steps", most: mostPlayed },
    { planned: cost, what: "requests, or steps that take as long,", most: bounds.cost },
  ].find(({ planned, most: bound }) => planned > bound);
  if (over === undefined) return;
  throw new InputError(
    at,
    `brings the scenario to ${written(over.planned)} ${over.what} or more; the maximum is ${written(over.most)}. ` +
      "Repeat less often, or send less traffic",
    "too-much",
  );
}

/** "12,345", or "1e+20" for very large counts. */
function written(count: number): string {
  if (count >= 1e15) return count.toExponential(0);
  return readableCount(Math.ceil(count));
}
