/** Invariant H1 once more, by a validator of JSON Schema: the document describes every answer, including refusals and headers. */

import { openApiDocument } from "../../src/spec/openapi.ts";
import { type Conformance, createConformance } from "../spec/openapi/openapi-conformance.ts";
import { type Run, requestSteps, require } from "./run.ts";

// Compiling a document costs more than a run.
const compiled = new Map<string, Conformance>();

export function mustMatchDocument({ sim, steps }: Run): void {
  const key = JSON.stringify(sim.assumptions);
  const problemsOf =
    compiled.get(key) ?? createConformance(openApiDocument(sim.assumptions), sim.assumptions);
  if (compiled.size < 200) compiled.set(key, problemsOf);
  for (const { action, response } of requestSteps(steps)) {
    const problems = problemsOf(action.request, response);
    const what = `${JSON.stringify(action.request)}: ${problems.join("; ")}`;
    require("H1", problems.length === 0, what);
  }
}
