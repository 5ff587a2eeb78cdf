/** The laws of shape (H1 to H4). On any input whatever: shape.test.ts. */

import type { ApiResponse } from "../../../src/index.ts";
import { openApiDocument } from "../../../src/spec/openapi/openapi.ts";
import { type OperationName, operations } from "../../../src/testing/oracle/calls.ts";
import { type Conformance, createConformance } from "../../spec/openapi/openapi-conformance.ts";
import { isElsewhere, pathOf, requestSteps } from "../reading.ts";
import { type Run, require } from "../run.ts";

// Compiling a document costs more than a run.
const compiled = new Map<string, Conformance>();

/**
 * Every answer is one that the OpenAPI document of the assumptions in force describes. Paths stand there without a
 * slash too many: where that makes no difference it is left out here, and a redirect is no operation's answer.
 */
export function H1({ sim, steps, options }: Run): void {
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

/** No input whatever yields an unscripted 5xx: the only one is that of a limit that refuses with it. */
export function H2({ options, steps }: Run): void {
  const scripted = options.assumptions["limit.exceeded"] === "503";
  for (const { action, response } of requestSteps(steps)) {
    const isFine = response.status < 500 || (scripted && isLimited(response));
    require("H2", isFine, `${JSON.stringify(action.request)} got ${JSON.stringify(response)}`);
  }
}

function isLimited({ status, headers }: ApiResponse): boolean {
  return status === 503 && headers["x-ratelimit-remaining"] === "0";
}

/** Errors never echo keys; nor does any other answer. */
export function H3({ steps }: Run): void {
  for (const { action, response } of requestSteps(steps)) {
    const header = Object.entries(action.request.headers ?? {}).find(
      ([name]) => name.toLowerCase() === "authorization",
    );
    const key = header?.[1].split(" ").at(-1);
    if (key === undefined) continue;
    const answer = JSON.stringify(response);
    require("H3", !answer.includes(key), `${JSON.stringify(action.request)} got ${answer}`);
  }
}

/** HEAD = GET less body; 405 carries the exact Allow. */
export function H4(run: Run): void {
  const { assumptions } = run.options;
  const isSupported = assumptions["http.head"] === "supported";
  const [publisher] = run.publishers;
  if (publisher === undefined) return;
  const sim = run.sim.fork();
  for (const name of Object.keys(operations) as OperationName[]) {
    const { method, path } = operations[name];
    const allow = method === "GET" && isSupported ? "GET, HEAD" : method;
    const send = (as: string, from: string): ApiResponse => {
      // Fresh keys: the quota left is the same for both.
      const { apiKey } = sim.publishers.rotateKey(publisher.id);
      const headers = { authorization: `Bearer ${apiKey}` };
      const query = { publisher_id: publisher.id, from };
      return sim.handle({ method: as, path, query, headers });
    };
    for (const from of method === "GET" ? ["2024-02-29", "2026-02-29"] : []) {
      const [got, head] = [send("GET", from), send("HEAD", from)];
      const what = `HEAD got ${JSON.stringify(head)}, GET ${JSON.stringify(got)}`;
      const same = JSON.stringify(head) === JSON.stringify({ ...got, body: "" });
      require("H4", same || !isSupported, what);
    }
    const wrong = send("PURGE", "");
    const is405 = wrong.status === 405 && wrong.headers.allow === allow;
    const is404 = wrong.status === 404 && wrong.headers.allow === undefined;
    const expected = assumptions["errors.method"] === "405" ? is405 : is404;
    require("H4", expected, `PURGE ${path} got ${JSON.stringify(wrong)}`);
  }
}
