/**
 * Correct services, made up from adsim: they differ in what the specification leaves open, in their data, and in what
 * happened before. Whatever one of them may answer is no mistake.
 */

import { coveringArray } from "../../../src/choices/covering-array.ts";
import { plainRequest } from "../../../src/exchange/plain-request.ts";
import type { Member } from "../../../src/invariants/client-exchange.ts";
import type { SimulatorCore } from "../../../src/simulator/core.ts";
import type { SimulatorOptions } from "../../../src/simulator/simulator-options.ts";
import { buildRequest, encodingOf } from "../../../src/spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../../src/spec/messages.ts";

export interface ImaginedService {
  readonly options: Pick<SimulatorOptions, "assumptions" | "seed" | "profile">;
  /** What happened before the play. */
  readonly prepare?: (sim: SimulatorCore, members: readonly Member[]) => void;
  /** How it answers, if not as adsim does. */
  readonly answer?: (handle: SimulatorCore["handle"], request: ApiRequest) => ApiResponse;
  /** What becomes of its answers. */
  readonly rewrite?: (response: ApiResponse) => ApiResponse;
  /** Whether its publishers have just signed up. */
  readonly areNew?: boolean;
}

/** Services with the defaults and other data. */
export const servicesWithOtherData: readonly ImaginedService[] = [
  { options: {} },
  { options: { profile: "tiny" } },
  { options: { profile: "adversarial" } },
  { options: { seed: "another service" } },
  { options: {}, areNew: true },
  { options: {}, prepare: sendEarlier },
  { options: {}, answer: ignoringInvalid },
  { options: {}, rewrite: withErrors(418) },
  { options: {}, rewrite: withErrors(499) },
];

/** Services that together make every choice, and every pair of choices. */
export const servicesWithOtherChoices: readonly ImaginedService[] = coveringArray({
  strength: 2,
}).map((assumptions) => ({ options: { assumptions } }));

/** Error answers of its own: only 200 and X-RateLimit-Remaining are specified. Successes have another Content-Type. */
function withErrors(otherStatus: number): (response: ApiResponse) => ApiResponse {
  return (response) => {
    const { status, headers, body } = response;
    const limit = { "x-ratelimit-remaining": headers["x-ratelimit-remaining"] ?? "0" };
    const contentType = { "content-type": "application/vnd.api+json" };
    if (status === 200) return { ...response, body, headers: { ...limit, ...contentType } };
    return { status: otherStatus, headers: limit, body: "" };
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
