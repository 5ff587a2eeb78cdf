/** Compares a whole response with the verdict: status, exact set of headers, content type, length, body. */

import type { ApiResponse } from "../../src/spec/messages.ts";
import type { Call, OperationName } from "./calls.ts";
import { expectEqual } from "./check.ts";
import type { Expectation, OracleContext } from "./expectation.ts";
import { checkExtraKinds, checkMembers } from "./members.ts";
import type { Pool } from "./quota.ts";
import { checkErrorBody, errorContentType, statusOf } from "./refusals.ts";

/** The answer that a call must get. */
export interface Verdict {
  readonly expectation: Expectation;
  readonly pool: Pool;
  /** The exact wait, if a limit refuses. */
  readonly retryAfterMs?: number | undefined;
  /** The methods of the path, if the call used another. */
  readonly allow?: string | undefined;
}

interface ReceivedAnswer {
  readonly call: Call;
  readonly response: ApiResponse;
  readonly exact: ApiResponse;
  readonly atMs: number;
}

const bodyMembers: Readonly<Record<OperationName, readonly string[]>> = {
  stats: ["publisher_id", "period", "impressions", "clicks", "revenue_inr", "surfaces"],
  surfaces: ["surfaces"],
  payouts: ["payouts", "pending_inr"],
  impression: ["ok", "impression_id", "revenue_credited_inr"],
  click: ["ok", "click_id", "revenue_credited_inr"],
};

export function checkResponse(
  context: OracleContext,
  verdict: Verdict,
  seen: ReceivedAnswer,
): void {
  const { expectation } = verdict;
  // The world's clock, in whole seconds.
  const date = new Date(seen.atMs).toUTCString();
  expectEqual("date", seen.response.headers.date, date);
  if (expectation.kind === "refused") checkRefusal(context, expectation.code, verdict, seen);
  else checkSuccess(context, expectation, seen);
}

function checkRefusal(
  context: OracleContext,
  code: string,
  { allow, retryAfterMs }: Verdict,
  { call, response, atMs }: ReceivedAnswer,
): void {
  const { choices, sometimes } = context;
  status(response, statusOf(code, choices));
  const type = errorContentType(choices);
  const hint = retryAfterMs === undefined ? undefined : retryAfter(context, atMs, retryAfterMs);
  const challenged = code === "unauthorized" && choices["auth.failure"] === "401";
  headers(context, response, [
    "content-length",
    ...(type === undefined ? [] : ["content-type"]),
    ...(allow === undefined ? [] : ["allow"]),
    ...(hint === undefined ? [] : ["retry-after"]),
    ...(challenged ? ["www-authenticate"] : []),
  ]);
  expectEqual("content-type", response.headers["content-type"], type);
  expectEqual("allow", response.headers.allow, allow);
  expectEqual("retry-after", response.headers["retry-after"], hint);
  if (call.way.method === "HEAD") {
    expectEqual("body", response.body, "");
    return;
  }
  length(response);
  checkErrorBody(response, code, choices);
  sometimes(`an error as ${choices["errors.body"]}`);
}

/** Retry-After in the chosen form, never too early. */
function retryAfter(
  { choices, sometimes }: OracleContext,
  atMs: number,
  waitMs: number,
): string | undefined {
  const choice = choices["limit.retry-after"];
  sometimes(`a Retry-After as ${choice}`);
  switch (choice) {
    case "seconds":
      return String(Math.ceil(waitMs / 1000));
    case "http-date":
      return new Date(Math.ceil((atMs + waitMs) / 1000) * 1000).toUTCString();
    case "absent":
      return undefined;
  }
}

function checkSuccess(
  context: OracleContext,
  expectation: Extract<Expectation, { kind: "success" }>,
  { call, response, exact }: ReceivedAnswer,
): void {
  const { choices, sometimes } = context;
  status(response, 200);
  headers(context, response, ["content-type", "content-length"]);
  const charset = choices["response.form"] === "evolved" ? "; charset=utf-8" : "";
  expectEqual("content-type", response.headers["content-type"], `application/json${charset}`);
  if (call.way.method === "HEAD") {
    sometimes("a HEAD that succeeds");
    expectEqual("body", response.body, "");
    return;
  }
  length(response);
  const body = JSON.parse(response.body);
  const members = bodyMembers[call.operation];
  checkMembers(body, members, choices);
  if (choices["response.form"] === "evolved") {
    checkExtraKinds(body, members);
    sometimes("a body with extra members, shuffled");
  }
  sometimes(`ids as ${choices["ids.format"]}`);
  const exactBody = exact === response ? body : JSON.parse(exact.body);
  expectation.check({ text: response.body, body, exact: exactBody });
}

function status(response: ApiResponse, expected: number): void {
  if (response.status === expected) return;
  throw new Error(`Expected status ${expected}, got ${response.status}: ${response.body}`);
}

/** No header may be missing, and no other may be there. */
function headers(
  { choices }: OracleContext,
  response: ApiResponse,
  names: readonly string[],
): void {
  // With http.cors=any, adsim varies by Origin unless an option disables access by pages.
  const varies = choices["http.cors"] === "any" && response.headers.vary === "Origin";
  const ofPages = varies ? ["vary"] : [];
  const expected = ["date", "x-ratelimit-remaining", ...ofPages, ...names];
  expectEqual("headers", Object.keys(response.headers).toSorted(), expected.toSorted());
}

function length({ headers: { "content-length": stated }, body }: ApiResponse): void {
  expectEqual("content-length", stated, String(new TextEncoder().encode(body).length));
}
