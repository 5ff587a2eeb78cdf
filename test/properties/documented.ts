/** Law H1 once more, by a validator of JSON Schema: every answer, refusals and headers too, is one that the document describes. */

import type { ApiRequest } from "../../src/index.ts";
import { openApiDocument } from "../../src/spec/openapi/openapi.ts";
import { type Conformance, createConformance } from "../spec/openapi/openapi-conformance.ts";
import { type Run, requestSteps, require } from "./run.ts";

// Compiling a document costs more than a run.
const compiled = new Map<string, Conformance>();

/**
 * Paths stand there without a slash too many: where that makes no difference it is left out here, and a redirect is no
 * operation's answer.
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

/** The path without query and without a slash too many. */
function pathOf({ path }: ApiRequest): string {
  const [bare = ""] = path.split("?");
  return bare.length > 1 && bare.endsWith("/") ? bare.slice(0, -1) : bare;
}

/** Whether a path ends with a slash too many where that makes another path of it. */
function isElsewhere({ path }: ApiRequest, assumptions: Readonly<Record<string, string>>): boolean {
  return path.endsWith("/") && assumptions["http.trailing-slash"] !== "same";
}
