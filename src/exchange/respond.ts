/** Decisions to responses: status, headers and body text. X-RateLimit-Remaining stands on every one (spec §8). */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { decimal } from "../base/decimal.ts";
import { utf8Length } from "../base/text.ts";
import { type ErrorCode, errorKinds, type Rejection } from "../contract/errors.ts";
import type { ApiResponse } from "../contract/messages.ts";
import type { Done } from "./outcome.ts";

export interface Responder {
  success(done: Done, remaining: number): ApiResponse;
  refusal(rejection: Rejection, remaining: number, extra: RefusalExtra): ApiResponse;
}

/** What only some refusals carry. */
export interface RefusalExtra {
  /** Value of Allow, for a wrong method. */
  readonly allow?: string | undefined;
  /** Exact wait until a request is admitted, for a refusal by the limit. */
  readonly retryAfterMs?: number | undefined;
}

const successTypes = {
  json: "application/json",
  "json-charset": "application/json; charset=utf-8",
} satisfies Record<Choice<"http.content-type">, string>;

const errorBodies = {
  problem: {
    contentType: "application/problem+json",
    write: (rejection, status) =>
      JSON.stringify({
        type: `urn:adsim:error:${rejection.code}`,
        title: errorKinds[rejection.code].title,
        status,
        detail: rejection.detail,
        code: rejection.code,
        parameter: rejection.parameter,
      }),
  },
} satisfies Record<
  Choice<"errors.body">,
  { contentType: string; write(rejection: Rejection, status: number): string }
>;

const retryAfter = {
  seconds: (ms) => String(Math.ceil(ms / 1000)),
  absent: () => undefined,
} satisfies Record<Choice<"limit.retry-after">, (ms: number) => string | undefined>;

const challenge = {
  "401": 'Bearer realm="adsim"',
  "401-bare": undefined,
  "403": undefined,
} satisfies Record<Choice<"auth.failure">, string | undefined>;

export function createResponder(assumptions: Assumptions): Responder {
  const successType = successTypes[assumptions["http.content-type"]];
  const errorBody = errorBodies[assumptions["errors.body"]];
  const waitFor = retryAfter[assumptions["limit.retry-after"]];
  const authenticate = challenge[assumptions["auth.failure"]];
  const statuses = statusesOf(assumptions);
  return {
    success({ body, byteLength }, remaining) {
      return {
        status: 200,
        headers: {
          "content-type": successType,
          "content-length": decimal(byteLength),
          "x-ratelimit-remaining": decimal(remaining),
        },
        body,
      };
    },
    refusal(rejection, remaining, extra) {
      const status = statuses[rejection.code];
      const body = errorBody.write(rejection, status);
      const headers: Record<string, string> = {
        "content-type": errorBody.contentType,
        "content-length": decimal(utf8Length(body)),
        "x-ratelimit-remaining": decimal(remaining),
      };
      if (extra.allow !== undefined) headers.allow = extra.allow;
      const wait = extra.retryAfterMs === undefined ? undefined : waitFor(extra.retryAfterMs);
      if (wait !== undefined) headers["retry-after"] = wait;
      if (rejection.code === "unauthorized" && authenticate !== undefined) {
        headers["www-authenticate"] = authenticate;
      }
      return { status, headers, body };
    },
  };
}

/** The same response as HEAD has it: no body, the headers of GET. */
export function withoutBody(response: ApiResponse): ApiResponse {
  return { status: response.status, headers: response.headers, body: "" };
}

/** The content types of bodies under the assumptions. */
export function contentTypesOf(assumptions: Assumptions): { success: string; error: string } {
  return {
    success: successTypes[assumptions["http.content-type"]],
    error: errorBodies[assumptions["errors.body"]].contentType,
  };
}

/** Value of WWW-Authenticate under the assumptions, where it is sent. */
export function challengeOf(assumptions: Assumptions): string | undefined {
  return challenge[assumptions["auth.failure"]];
}

const invalidStatus = { "400": 400, "422": 422 } satisfies Record<Choice<"errors.invalid">, number>;
const authStatus = { "401": 401, "401-bare": 401, "403": 403 } satisfies Record<
  Choice<"auth.failure">,
  number
>;
const exceededStatus = { "429": 429, "403": 403, "503": 503 } satisfies Record<
  Choice<"limit.exceeded">,
  number
>;
const surfaceStatus = { "404": 404, "400": 400 } satisfies Record<
  Choice<"surface.unknown">,
  number
>;
const clickStatus = { "404": 404, "400": 400 } satisfies Record<Choice<"click.unknown">, number>;

/** The status of every error code under the assumptions. */
export function statusesOf(assumptions: Assumptions): Readonly<Record<ErrorCode, number>> {
  const documented = Object.fromEntries(
    Object.entries(errorKinds).map(([code, kind]) => [code, kind.status]),
  ) as Record<ErrorCode, number>;
  const invalid = invalidStatus[assumptions["errors.invalid"]];
  return {
    ...documented,
    missing_parameter: invalid,
    invalid_parameter: invalid,
    duplicate_parameter: invalid,
    unknown_parameter: invalid,
    unauthorized: authStatus[assumptions["auth.failure"]],
    rate_limited: exceededStatus[assumptions["limit.exceeded"]],
    surface_not_found: surfaceStatus[assumptions["surface.unknown"]],
    impression_not_found: clickStatus[assumptions["click.unknown"]],
  };
}
