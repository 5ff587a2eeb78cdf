/** H1: every answer of a run against the OpenAPI document of the assumptions in force. */

import { openApiDocument } from "../../src/exchange/openapi.ts";
import { type Conformance, createConformance } from "../openapi-conformance.ts";
import { requestSteps } from "./reading.ts";
import { type Run, require } from "./run.ts";

// Compiling a document costs more than a run.
const compiled = new Map<string, Conformance>();

/** Every answer is one that the document describes. */
export function H1({ sim, steps }: Run): void {
  const { assumptions } = sim;
  const key = JSON.stringify(assumptions);
  const problemsOf = compiled.get(key) ?? createConformance(openApiDocument(assumptions));
  compiled.set(key, problemsOf);
  for (const { action, response } of requestSteps(steps)) {
    if (response === undefined) continue;
    const problems = problemsOf(action.request, response);
    require("H1", problems.length ===
      0, `${JSON.stringify(action.request)}: ${problems.join("; ")}`);
  }
}
