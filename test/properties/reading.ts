/** Reading steps of a run: which are requests, what an answer credited, which numbers stand in a body. */

import type { ApiRequest, ApiResponse } from "../../src/index.ts";
import { type Action, microsOf, require, type Step } from "./run.ts";

export type RequestStep = Step & { readonly action: Extract<Action, { kind: "request" }> };

export function requestSteps(steps: readonly Step[]): RequestStep[] {
  return steps.filter((step): step is RequestStep => step.action.kind === "request");
}

export function pathOf(request: ApiRequest): string {
  return request.path.split("?")[0] ?? "";
}

/** Method and kind of quota: requests that are alike before their key is known. */
export function methodOf(request: ApiRequest): string {
  return request.method;
}

/** The id and the credit that a success names; undefined for any other answer. */
export function creditOf(
  response: ApiResponse | undefined,
): { readonly id: string; readonly micros: number } | undefined {
  if (response?.status !== 200) return undefined;
  const body = JSON.parse(response.body);
  const id = body.impression_id ?? body.click_id;
  return id === undefined ? undefined : { id, micros: microsOf(body.revenue_credited_inr) };
}

/** Throws for a number in a JSON text that isn't written plainly. */
export function assertNumbersArePlain(rule: string, body: string): void {
  const withoutTexts = body.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const [token] of withoutTexts.matchAll(/[^\s{}[\],:"]+/g)) {
    if (token === "true" || token === "false" || token === "null") continue;
    const plain = /^(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?$/.test(token);
    require(rule, plain, `the number ${token} in ${body.slice(0, 300)}`);
  }
}
