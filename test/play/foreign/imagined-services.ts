/**
 * Correct services, made up from adsim: they differ in what the specification leaves open, in their data, and in what
 * happened before. Whatever one of them may answer is no mistake.
 */

import { keyAndChoiceOf } from "../../../src/choices/choice-overrides.ts";
import { coveringArray } from "../../../src/choices/covering-array.ts";
import { allKeys, type MatrixPlan, makePlan } from "../../../src/choices/matrix-plan.ts";
import { plainRequest } from "../../../src/exchange/plain-request.ts";
import type { Member } from "../../../src/invariants/client-exchange.ts";
import type { SimulatorCore } from "../../../src/simulator/core.ts";
import type { Choices, SimulatorOptions } from "../../../src/simulator/simulator-options.ts";
import { type AssumptionKey, catalogue } from "../../../src/spec/assumptions/catalogue.ts";
import { buildRequest, encodingOf } from "../../../src/spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../../src/spec/messages.ts";

export interface ImaginedService {
  /** The assumption in which it differs from the defaults, if it is the only difference. */
  readonly differsIn: AssumptionKey | undefined;
  readonly options: Pick<SimulatorOptions, "assumptions" | "seed" | "profile">;
  /** What happened before the play. */
  readonly prepare?: ((sim: SimulatorCore, members: readonly Member[]) => void) | undefined;
  /** How it answers, if not as adsim does. */
  readonly answer?:
    | ((handle: SimulatorCore["handle"], request: ApiRequest) => ApiResponse)
    | undefined;
  /** What becomes of its answers. */
  readonly rewrite?: ((response: ApiResponse) => ApiResponse) | undefined;
  /** Whether its publishers have just signed up. */
  readonly areNew?: boolean;
  /** How much of the play is over when the minute of its clock ends, from 0 to 1. Then each request takes a millisecond. */
  readonly minuteEndsAt?: number;
}

/** Services with the defaults and other data. `known`: the choices that are known. */
export function servicesWithOtherData(known: Choices): readonly ImaginedService[] {
  const usual = { differsIn: undefined, options: { assumptions: known } };
  return [
    usual,
    ...(["tiny", "adversarial"] as const).map((profile) => ({
      ...usual,
      options: { assumptions: known, profile },
    })),
    { ...usual, options: { assumptions: known, seed: "another service" } },
    { ...usual, areNew: true },
    { ...usual, prepare: sendEarlier },
    { ...usual, answer: ignoringInvalid },
    { ...usual, rewrite: withErrors(418, known) },
    { ...usual, rewrite: withErrors(499, known) },
    ...[0.25, 0.5, 0.75].map((minuteEndsAt) => ({ ...usual, minuteEndsAt })),
  ];
}

/** Services that differ in one choice each. */
export function servicesWithOneOtherChoice(known: Choices): readonly ImaginedService[] {
  const plan = planFor(known);
  return plan.varied.flatMap((key) =>
    Object.keys(catalogue[key].choices).flatMap((choice) => {
      const assumptions = plan.assumptionsWith([`${key}=${choice}`]);
      const isOther = assumptions !== undefined && choice !== plan.defaults[key];
      return isOther ? [{ differsIn: key, options: { assumptions } }] : [];
    }),
  );
}

/** Services that together make every pair of choices. */
export function servicesWithOtherPairs(known: Choices): readonly ImaginedService[] {
  const plan = planFor(known);
  return plan.rows.map((row) => {
    const [only, ...others] = row;
    const differsIn = others.length > 0 || only === undefined ? undefined : keyOf(only);
    return { differsIn, options: { assumptions: plan.assumptionsWith(row) } };
  });
}

function keyOf(override: string): AssumptionKey | undefined {
  const [key] = keyAndChoiceOf(override);
  return allKeys.find((one) => one === key);
}

// A cache, because each of a play's scenarios needs the same plan.
const plans = new Map<string, MatrixPlan>();

function planFor(known: Choices): MatrixPlan {
  const key = JSON.stringify(known);
  const plan = plans.get(key) ?? newPlanFor(known);
  plans.set(key, plan);
  return plan;
}

function newPlanFor(known: Choices): MatrixPlan {
  const pinned: Record<string, string> = {};
  for (const [key, choice] of Object.entries(known)) if (choice !== undefined) pinned[key] = choice;
  return makePlan({ pinned, only: undefined, strength: 2, array: coveringArray({ strength: 2 }) });
}

/**
 * A service with error answers of its own: only 200 and X-RateLimit-Remaining are specified. A status that follows from a
 * known choice stays. Successes have another Content-Type.
 */
function withErrors(otherStatus: number, known: Choices): (response: ApiResponse) => ApiResponse {
  return (response) => {
    const { status, headers, body } = response;
    const limit = { "x-ratelimit-remaining": headers["x-ratelimit-remaining"] ?? "0" };
    if (status === 200) {
      const contentType = { "content-type": "application/vnd.api+json" };
      return {
        ...response,
        headers: known["response.form"] ? headers : { ...limit, ...contentType },
      };
    }
    const shapedBy = headers["x-adsim-assumptions"]?.split(", ") ?? [];
    const isKnown = shapedBy.some((key) => Object.hasOwn(known, key));
    const isBodyKnown = known["errors.body"] !== undefined;
    return {
      ...response,
      status: isKnown ? status : otherStatus,
      headers: isBodyKnown ? headers : limit,
      body: isBodyKnown ? body : "",
    };
  };
}

/** Ignores optional parameters that it can't read, since the specification doesn't say what becomes of them. */
function ignoringInvalid(handle: SimulatorCore["handle"], request: ApiRequest): ApiResponse {
  const response = handle(request);
  const query = new URLSearchParams(plainRequest(request).query);
  const optional = ["limit", "from", "to"].filter((name) => query.has(name));
  if (response.status === 200 || optional.length === 0) return response;
  for (const name of optional) query.delete(name);
  const lenient = handle({ ...request, query: query.toString() });
  return lenient.status === 200 ? lenient : response;
}

/** Another client used the service in this minute. */
function sendEarlier(sim: SimulatorCore, members: readonly Member[]): void {
  const encoding = encodingOf(sim.assumptions);
  for (const { id, apiKey, surfaces } of members) {
    for (const { id: surface } of surfaces) {
      const values = { publisher_id: id, surface, ad_id: "ad-1", session_id: "another client" };
      sim.handle(buildRequest("impression", values, { key: apiKey, encoding }));
    }
    for (const operation of ["stats", "payouts", "surfaces"] as const)
      sim.handle(buildRequest(operation, { publisher_id: id }, { key: apiKey }));
  }
}
