/** Law H1 once more, by a validator of JSON Schema: the document describes every answer, including refusals and headers. */

import type { ApiRequest } from "../../src/index.ts";
import { openApiDocument } from "../../src/spec/openapi/openapi.ts";
import { type Conformance, createConformance } from "../spec/openapi/openapi-conformance.ts";
import { type Run, requestSteps, require } from "./run.ts";

// Compiling a document costs more than a run.
const compiled = new Map<string, Conformance>();

/**
 * The document's paths have no slash at the end. A slash that makes no difference is removed before the comparison, and
 * redirects are left out: no operation answers with one.
 */
export function mustMatchDocument({ sim, steps, options }: Run): void {
  const key = JSON.stringify(sim.assumptions);
  const problemsOf =
    compiled.get(key) ?? createConformance(openApiDocument(sim.assumptions), sim.assumptions);
  if (compiled.size < 200) compiled.set(key, problemsOf);
  for (const { action, response } of requestSteps(steps)) {
    const { request } = action;
    if (response.status === 308) continue;
    const path = isElsewhere(request, options.assumptions) ? request.path : pathOf(request);
    const problems = problemsOf({ method: request.method, path }, response);
    const what = `${JSON.stringify(action.request)}: ${problems.join("; ")}`;
    require("H1", problems.length === 0, what);
  }
}

/** The path without its query and without a slash at the end. */
function pathOf({ path }: ApiRequest): string {
  const [bare = ""] = path.split("?");
  return bare.length > 1 && bare.endsWith("/") ? bare.slice(0, -1) : bare;
}

/** Whether a slash at the end makes this another path. */
function isElsewhere({ path }: ApiRequest, assumptions: Readonly<Record<string, string>>): boolean {
  return path.endsWith("/") && assumptions["http.trailing-slash"] !== "same";
}
