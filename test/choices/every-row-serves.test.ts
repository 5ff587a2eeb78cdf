/** Any combination of choices works: a whole session under each row of the covering array of all pairs. */

import { describe, expect, test } from "vitest";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { createSimulator } from "../../src/index.ts";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { errorKinds } from "../../src/spec/errors.ts";
import { openApiDocument } from "../../src/spec/openapi.ts";
import { operations } from "../../src/spec/operations.ts";
import { someOf } from "../budget.ts";
import { createConformance } from "../spec/openapi/openapi-conformance.ts";
import { fullSession, type SessionExchange } from "./full-session.ts";

/** Errors that only a transport can cause, or a program that passes `handle` an invalid request. */
const ofTransports = ["malformed_request", "request_timeout", "headers_too_large"];
/** Errors that the session provokes under any assumptions. */
const always = [
  "unauthorized",
  "route_not_found",
  "publisher_not_found",
  "missing_parameter",
  "invalid_parameter",
  "duplicate_parameter",
  "unsupported_media_type",
  "body_too_large",
  "query_too_long",
  "rate_limited",
];

const everyOperation = Object.values(operations).map(({ method, path }) => `${method} ${path}`);

const rows = coveringArray({ strength: 2 });
const numbered = someOf(rows.map((row, index) => ({ row, index })));

test("the covering array has more than one row", () => {
  expect(rows.length).toBeGreaterThan(1);
});

describe("a whole session under every row of the covering array of pairs", () => {
  test.each(numbered)(
    "row $index: every answer is sound and as the OpenAPI document says",
    { timeout: 60_000 },
    ({ row }) => {
      const problemsOf = createConformance(openApiDocument(row), row);
      const reasons = new Set<string>();
      const served = new Set<string>();
      const overLimit = new Set<string>();
      for (const exchanged of fullSession(createSimulator({ assumptions: row }))) {
        const problems = [...problemsOf(exchanged.request, exchanged.response)];
        expect([...problems, ...faultsOf(exchanged, row)], told(exchanged)).toEqual([]);
        const { request, response, reason } = exchanged;
        reasons.add(reason);
        if (response.status === 200) served.add(`${request.method} ${request.path}`);
        if (reason === "rate_limited") overLimit.add(request.path);
      }
      expect([...reasons]).toEqual(expect.arrayContaining(always));
      expect([...served]).toEqual(expect.arrayContaining(everyOperation));
      expect([...overLimit]).toEqual(
        expect.arrayContaining(["/v1/publisher/stats", "/v1/impression"]),
      );
    },
  );

  test("the sessions provoke every kind of error that a request can cause", {
    timeout: 120_000,
  }, () => {
    const missing = new Set(Object.keys(errorKinds));
    for (const code of ofTransports) missing.delete(code);
    for (const row of rows) {
      if (missing.size === 0) break;
      for (const { reason } of fullSession(createSimulator({ assumptions: row }))) {
        missing.delete(reason);
      }
    }
    expect([...missing]).toEqual([]);
  });
});

/** Faults that no answer may have, whatever the document says. */
function faultsOf({ request, response, reason }: SessionExchange, row: Assumptions): string[] {
  const { status, headers, body } = response;
  const faults: string[] = [];
  const mayBe503 = row["limit.exceeded"] === "503" && reason === "rate_limited";
  if (status >= 500 && !(status === 503 && mayBe503)) faults.push(`status ${status}`);
  if (!/^\d+$/.test(headers["x-ratelimit-remaining"] ?? ""))
    faults.push("no X-RateLimit-Remaining");
  const length = String(new TextEncoder().encode(body).length);
  if (request.method === "HEAD" ? body !== "" : headers["content-length"] !== length) {
    faults.push(`Content-Length ${headers["content-length"]} of ${length} bytes`);
  }
  return faults;
}

function told({ request, response }: SessionExchange): string {
  return `${JSON.stringify(request).slice(0, 500)} got ${JSON.stringify(response).slice(0, 500)}`;
}
