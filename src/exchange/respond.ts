/** Decisions to responses: status, headers and body text. X-RateLimit-Remaining stands on every one (spec §8). */

import { formatHttpDate } from "../base/calendar.ts";
import { decimal } from "../base/decimal.ts";
import { utf8Length } from "../base/text.ts";
import type { Injected } from "../faults/plan.ts";
import { bodyText } from "../faults/respond-schemas.ts";
import { type Assumptions, type Choice, catalogue } from "../spec/assumptions/catalogue.ts";
import { type ErrorBody, errorBodies } from "../spec/error-bodies.ts";
import { type Rejection, shapedByCode, statusesOf } from "../spec/errors.ts";
import { type ApiResponse, responseOf } from "../spec/messages.ts";
import { challengeOf, successTypeOf } from "../spec/responses.ts";
import { type BodyRewriter, createErrorRewriter, createSuccessRewriter } from "./body-rewriter.ts";
import type { CorsHeaders } from "./cors.ts";
import {
  documented,
  mergeShapedBy,
  type Refusal,
  type ShapedBy,
  type Success,
} from "./operations/outcome.ts";
import type { QuotaStatus } from "./quota.ts";

export interface Responder {
  /** `shapedBy`: as {@link successShapedBy} gives it. */
  success(done: Success, quotaStatus: QuotaStatus, shapedBy: ShapedBy): ApiResponse;
  refusal(
    rejection: Rejection,
    quotaStatus: QuotaStatus,
    shapedBy: ShapedBy,
    extra: RefusalExtra,
  ): ApiResponse;
  /** To the same operation under another path. `location`: as it is sent. `shapedBy`: as {@link redirectShapedBy} gives it. */
  redirect(location: string, quotaStatus: QuotaStatus, shapedBy: ShapedBy): ApiResponse;
  /** What a fault rule answers in the service's place. `forPage`: headers beneath the rule's own. */
  injected(
    injected: Injected,
    quotaStatus: QuotaStatus,
    forPage: CorsHeaders | undefined,
  ): ApiResponse;
  /** The answer to a preflight that is let through. */
  preflight(quotaStatus: QuotaStatus, headers: CorsHeaders, shapedBy: ShapedBy): ApiResponse;
  /** An answer as a page gets it: with the headers that let it read. */
  forPage(response: ApiResponse, headers: CorsHeaders, shapedBy: ShapedBy): ApiResponse;
  /** All that a success rests on: what decided it, and its form. */
  successShapedBy(decidedBy: ShapedBy): ShapedBy;
  /** All that a refusal rests on: what decided it, what its code says of itself, and its form. */
  refusalShapedBy(refusal: Refusal): ShapedBy;
  /** All that a redirect rests on: it has no body, but headers. */
  redirectShapedBy(decidedBy: ShapedBy): ShapedBy;
}

export interface ResponderOptions {
  readonly seed: string;
  readonly assumptions: Assumptions;
  /** Whether every response says in a header which open points shaped it. */
  readonly explain: boolean;
  /** Whether another origin of a request can mean another answer. @default false */
  readonly variesByOrigin?: boolean | undefined;
}

/** What only some refusals carry. */
export interface RefusalExtra {
  /** Value of Allow, for a wrong method. */
  readonly allow?: string | undefined;
  /** Exact wait until a request is admitted, for a refusal by the limit. */
  readonly retryAfterMs?: number | undefined;
  /** When that wait begins, in milliseconds since 1970. @default 0 */
  readonly nowMs?: number | undefined;
}

const retryAfter = {
  seconds: (ms) => String(Math.ceil(ms / 1000)),
  "http-date": (ms, nowMs) => formatHttpDate(nowMs + ms),
  absent: () => undefined,
} satisfies Record<Choice<"limit.retry-after">, (ms: number, nowMs: number) => string | undefined>;

/** Lists the open points that shaped a response, or says that there is none. */
const EXPLANATION = "x-adsim-assumptions";

export function createResponder(options: ResponderOptions): Responder {
  const { seed, assumptions, explain, variesByOrigin = false } = options;
  const successType = successTypeOf(assumptions);
  const errorBody = errorBodyOf(assumptions, seed);
  const form = createSuccessRewriter(assumptions, seed);
  const retryAfterValue = retryAfter[assumptions["limit.retry-after"]];
  const challenge = challengeOf(assumptions);
  const statuses = statusesOf(assumptions);
  const successFormatKeys = nonDefaultKeys(assumptions, formatKeys);
  const shapedByHeaders = nonDefaultKeys(assumptions, headerFormatKeys);
  const refusalFormatKeys: ShapedBy = [
    "errors.body",
    ...(errorBody.hasOrder ? nonDefaultKeys(assumptions, ["response.key-order"]) : []),
    ...shapedByHeaders,
  ];

  /** What stands on every response, whatever made it. */
  function setCommonHeaders(headers: Record<string, string>, quotaStatus: QuotaStatus): void {
    headers["x-ratelimit-remaining"] = decimal(quotaStatus.remaining);
    if (quotaStatus.headers !== undefined) Object.assign(headers, quotaStatus.headers);
    // Also without an origin: a cache must not give that answer to a page.
    if (variesByOrigin) headers.vary = "Origin";
  }

  const success: Responder["success"] = ({ body, byteLength }, quotaStatus, shapedBy) => {
    const headers: Record<string, string> = {};
    headers["content-type"] = successType;
    headers["content-length"] = decimal(byteLength);
    setCommonHeaders(headers, quotaStatus);
    if (explain) headers[EXPLANATION] = explanation(shapedBy);
    return responseOf(200, headers, body);
  };
  return {
    successShapedBy: (decidedBy) => mergeShapedBy(decidedBy, successFormatKeys),
    refusalShapedBy: ({ rejection, shapedBy }) =>
      mergeShapedBy(mergeShapedBy(shapedBy, shapedByCode(rejection.code)), refusalFormatKeys),
    redirectShapedBy: (decidedBy) => mergeShapedBy(decidedBy, shapedByHeaders),
    success:
      form === undefined ? success : (done, ...rest) => success(rewriteBody(done, form), ...rest),
    redirect(location, quotaStatus, shapedBy) {
      const headers: Record<string, string> = {};
      headers.location = location;
      headers["content-length"] = "0";
      setCommonHeaders(headers, quotaStatus);
      if (explain) headers[EXPLANATION] = explanation(shapedBy);
      return responseOf(308, headers, "");
    },
    preflight(quotaStatus, given, shapedBy) {
      const headers: Record<string, string> = {};
      setCommonHeaders(headers, quotaStatus);
      Object.assign(headers, given);
      if (explain) headers[EXPLANATION] = explanation(shapedBy);
      return responseOf(204, headers, "");
    },
    forPage({ status, headers: given, body }, forPage, shapedBy) {
      const headers: Record<string, string> = { ...given, ...forPage };
      if (explain) headers[EXPLANATION] = explanation(shapedBy);
      return responseOf(status, headers, body);
    },
    injected({ status, headers: given = {}, body }, quotaStatus, forPage) {
      const text = body === undefined ? "" : (bodyText(body) ?? "");
      const headers: Record<string, string> = {};
      if (body !== undefined) {
        headers["content-type"] = typeof body === "string" ? "text/plain" : "application/json";
      }
      // With 204 it is forbidden, with 304 it would be the length of what isn't sent (RFC 9110 §8.6).
      if (status !== 204 && status !== 304) headers["content-length"] = decimal(utf8Length(text));
      setCommonHeaders(headers, quotaStatus);
      Object.assign(headers, forPage);
      // The rule's own word counts.
      for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
      return responseOf(status, headers, text);
    },
    refusal(rejection, quotaStatus, shapedBy, extra) {
      const status = statuses[rejection.code];
      const body = errorBody.write(rejection, status);
      const { contentType } = errorBody;
      const headers: Record<string, string> = {};
      if (contentType !== undefined) headers["content-type"] = contentType;
      headers["content-length"] = decimal(utf8Length(body));
      setCommonHeaders(headers, quotaStatus);
      if (extra.allow !== undefined) headers.allow = extra.allow;
      const { retryAfterMs, nowMs = 0 } = extra;
      const wait = retryAfterMs === undefined ? undefined : retryAfterValue(retryAfterMs, nowMs);
      if (wait !== undefined) headers["retry-after"] = wait;
      if (rejection.code === "unauthorized" && challenge !== undefined) {
        headers["www-authenticate"] = challenge;
      }
      if (explain) headers[EXPLANATION] = explanation(shapedBy);
      return responseOf(status, headers, body);
    },
  };
}

/** The error bodies of a world, in the order of members that it has. */
function errorBodyOf(assumptions: Assumptions, seed: string): ErrorBody {
  const body = errorBodies[assumptions["errors.body"]];
  const form = body.hasOrder ? createErrorRewriter(assumptions, seed) : undefined;
  if (form === undefined) return body;
  return { ...body, write: (rejection, status) => form(body.write(rejection, status)) };
}

/** The same success with a body that has its form. */
function rewriteBody(done: Success, form: BodyRewriter): Success {
  const body = form(done.body);
  return { ...done, body, byteLength: done.byteLength + body.length - done.body.length };
}

/** Open points about the form of what is written: named where another choice than the default is in force. */
const headerFormatKeys: ShapedBy = ["limit.headers", "http.cors"];
export const formatKeys: ShapedBy = [
  "http.content-type",
  ...headerFormatKeys,
  "response.key-order",
  "ids.format",
  "money.precision",
  "response.extra-fields",
];

function nonDefaultKeys(assumptions: Assumptions, keys: ShapedBy): ShapedBy {
  const others = keys.filter((key) => assumptions[key] !== catalogue[key].default);
  return others.length === 0 ? documented : others;
}

function explanation(shapedBy: ShapedBy): string {
  return shapedBy.length === 0 ? "documented" : shapedBy.join(", ");
}

/** The same response as HEAD has it: no body, the headers of GET. */
export function withoutBody(response: ApiResponse): ApiResponse {
  return responseOf(response.status, response.headers, "");
}
