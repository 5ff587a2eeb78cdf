/** Bounds the work of playing a scenario: its steps, its requests, and those that its expectations send. */

import { InputError, inField } from "../../../base/input.ts";
import { readableCount } from "../../measure/quantities.ts";
import { plannedArrivals } from "../../traffic/arrival-pattern.ts";
import type { Expectation, ExpectStep, Scenario, Step } from "../scenario.ts";
import { isReport, isRequest, kindOf, type StepKind } from "../step-kind.ts";
import { checkTextAtOnce, longestText, textCostOf } from "./text-costs.ts";

interface Plan {
  readonly requests: number;
  /** Steps, each counted as often as it is played. */
  readonly played: number;
  /** Total duration, in units of one request. */
  readonly cost: number;
  /** Publishers that signed up, and those that traffic names. */
  readonly publishers: number;
}

interface Limits {
  readonly requests: number;
  readonly cost: number;
}

interface Bounds extends Limits {
  /** See {@link longestText}. */
  readonly longest: number;
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
  // Creates a publisher with a name and a book, which is copied at the end.
  signUp: 60,
  setSurface: 2,
  rotateKey: 2,
  repeat: 1,
  parallel: 1,
  expect: 1,
};
/** Each surface of a sign-up has books of its own. */
const SURFACE_COST = 4;
/** A publisher that traffic names. Each that does anything is copied at the end. */
const NAMED_PUBLISHER_COST = 120;
/** What these take in addition for each publisher of the scenario: they read, copy or move all that did anything. */
const publisherCosts = { assume: 0.1, audit: 0.2, report: 0.2, invariants: 4 } as const;

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

function planWhole(scenario: Scenario, limits: Limits): Plan {
  const { steps, expectations = [] } = scenario;
  const bounds = { ...limits, longest: longestText(scenario) };
  const nothing = { requests: 0, played: 0, cost: 0, publishers: 0 };
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
    const named = "traffic" in step ? (step.traffic.publishers?.length ?? 0) : 0;
    const publishers = plan.publishers + named + ("signUp" in step ? times : 0);
    const once = NAMED_PUBLISHER_COST * named;
    plan = {
      requests: plan.requests + times * requests,
      played: plan.played + times,
      cost: plan.cost + once + times * (requests + costOf(step, publishers, bounds.longest)),
      publishers,
    };
    check(plan, at, bounds);
    if (Number.isFinite(bounds.cost)) checkTextAtOnce(step, publishers, bounds.longest, at);
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
  return isReport(expectation) ? REPORT_REQUESTS : 0;
}

/** Without the requests of the step, and without its inner steps. */
function costOf(step: Step, publishers: number, longest: number): number {
  const kind = kindOf(step);
  const surfaces = "signUp" in step ? (step.signUp.surfaces?.length ?? 0) : 0;
  const ofAll = readingAll(step);
  const perPublisher = ofAll === undefined ? 0 : publisherCosts[ofAll];
  const bySize = perPublisher * publishers + SURFACE_COST * surfaces;
  return stepCosts[kind] + bySize + textCostOf(step, longest);
}

function readingAll(step: Step): keyof typeof publisherCosts | undefined {
  const kind = kindOf(step);
  if (kind === "assume") return kind;
  if (kind !== "expect") return undefined;
  const { expect } = step as ExpectStep;
  if ("audit" in expect) return "audit";
  if ("invariant" in expect) return "invariants";
  return isReport(expect) ? "report" : undefined;
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
