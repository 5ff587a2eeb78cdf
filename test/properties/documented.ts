/** Law H1 once more, by a validator of JSON Schema: every answer, refusals and headers too, is one that the document describes. */

import { openApiDocument } from "../../src/spec/openapi/openapi.ts";
import { type Conformance, createConformance } from "../spec/openapi/openapi-conformance.ts";
import { isElsewhere, pathOf, requestSteps } from "./reading.ts";
import { type Run, require } from "./run.ts";

// Compiling a document costs more than a run.
const compiled = new Map<string, Conformance>();

/**
 * Paths stand there without a slash too many: where that makes no difference it is left out here, and a redirect is no
 * operation's answer.
 */
export function asDocumented({ sim, steps, options }: Run): void {
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
