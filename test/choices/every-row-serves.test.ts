/** Any combination of choices works: a whole session under each row of the covering array of all pairs. */

import { expect, test } from "vitest";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { createSimulator } from "../../src/index.ts";
import { errorKinds } from "../../src/spec/errors.ts";
import { openApiDocument } from "../../src/spec/openapi.ts";
import { operations } from "../../src/spec/operations.ts";
import { someOf } from "../budget.ts";
import { createConformance } from "../spec/openapi/openapi-conformance.ts";
import { fullSession } from "./full-session.ts";

/** Errors that only a transport can cause, or a program that passes `handle` an invalid request. */
const ofTransports = ["malformed_request", "request_timeout", "headers_too_large"];
/** What the session does under any choices. */
const always = [
  ...["unauthorized", "route_not_found", "publisher_not_found", "missing_parameter"],
  ...["invalid_parameter", "duplicate_parameter", "unsupported_media_type", "body_too_large"],
  ...["query_too_long", "rate_limited at /v1/publisher/stats", "rate_limited at /v1/impression"],
  ...Object.values(operations).map(({ method, path }) => `${method} ${path}`),
];

const rows = coveringArray({ strength: 2 });

test.each(someOf(rows.map((row, index) => ({ row, index }))))(
  "row $index: every answer is as the OpenAPI document says",
  { timeout: 60_000 },
  ({ row }) => {
    const problemsOf = createConformance(openApiDocument(row), row);
    const done = new Set<string>();
    for (const exchanged of fullSession(createSimulator({ assumptions: row }))) {
      const { request, response, reason } = exchanged;
      expect(problemsOf(request, response), JSON.stringify(exchanged).slice(0, 1000)).toEqual([]);
      done.add(reason).add(`${reason} at ${request.path}`);
      if (response.status === 200) done.add(`${request.method} ${request.path}`);
    }
    expect([...done]).toEqual(expect.arrayContaining(always));
  },
);

test("the sessions provoke every kind of error that a request can cause", {
  timeout: 120_000,
}, () => {
  const missing = new Set(Object.keys(errorKinds));
  for (const code of ofTransports) missing.delete(code);
  for (const row of rows) {
    if (missing.size === 0) break;
    for (const { reason } of fullSession(createSimulator({ assumptions: row })))
      missing.delete(reason);
  }
  expect([...missing]).toEqual([]);
});
