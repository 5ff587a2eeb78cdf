/** Reading steps of a run: which are requests, and where they went. */

import type { ApiRequest, ApiResponse } from "../../src/index.ts";
import type { Action, Step } from "./run.ts";

type RequestStep = Step & {
  readonly action: Extract<Action, { kind: "request" }>;
  readonly response: ApiResponse;
};

export function requestSteps(steps: readonly Step[]): RequestStep[] {
  return steps.filter(
    (step): step is RequestStep => step.action.kind === "request" && step.response !== undefined,
  );
}

/** The path without query and without a slash too many. */
export function pathOf({ path }: ApiRequest): string {
  const [bare = ""] = path.split("?");
  return bare.length > 1 && bare.endsWith("/") ? bare.slice(0, -1) : bare;
}

/** Whether a path ends with a slash too many where that makes another path of it. */
export function isElsewhere(
  { path }: ApiRequest,
  assumptions: Readonly<Record<string, string>>,
): boolean {
  return path.endsWith("/") && assumptions["http.trailing-slash"] !== "same";
}
