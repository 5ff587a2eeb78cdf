/** Turns decisions into responses: status, headers, body text. Every response has X-RateLimit-Remaining (spec §8). */

import { formatHttpDate } from "../base/calendar.ts";
import { decimal } from "../base/decimal.ts";
import { utf8Length } from "../base/text.ts";
import type { Injected } from "../faults/plan.ts";
import { type Assumptions, type Choice, catalogue } from "../spec/assumptions/catalogue.ts";
import { errorBodies } from "../spec/error-bodies.ts";
import { type Rejection, shapedByCode, statusesOf } from "../spec/errors.ts";
import { type ApiResponse, responseOf } from "../spec/messages.ts";
import { challengeOf, successTypeOf } from "../spec/responses.ts";
import { type BodyRewriter, createBodyRewriter } from "./body-rewriter.ts";
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
  /** `shapedBy` must come from {@link successShapedBy}. */
  success(done: Success, quotaStatus: QuotaStatus, shapedBy: ShapedBy): ApiResponse;
  refusal(
    rejection: Rejection,
    quotaStatus: QuotaStatus,
    shapedBy: ShapedBy,
    extra: RefusalExtra,
  ): ApiResponse;
  /** The answer of a fault rule. `forPage` has CORS headers, which the rule's own headers may override. */
  injected(
    injected: Injected,
    quotaStatus: QuotaStatus,
    forPage: CorsHeaders | undefined,
  ): ApiResponse;
  /** The answer to a preflight that allows the page's request. */
  preflight(quotaStatus: QuotaStatus, headers: CorsHeaders, shapedBy: ShapedBy): ApiResponse;
  /** Adds CORS headers to an answer. */
  forPage(response: ApiResponse, headers: CorsHeaders, shapedBy: ShapedBy): ApiResponse;
  /** All assumptions that shape a success: those of the decision, and those of the format. */
  successShapedBy(decidedBy: ShapedBy): ShapedBy;
  /** All assumptions that shape a refusal: those of the decision, of the error code and of the format. */
  refusalShapedBy(refusal: Refusal): ShapedBy;
}

export interface ResponderOptions {
  readonly seed: string;
  readonly assumptions: Assumptions;
  /** Whether every response has a header that lists the assumptions that shaped it. */
  readonly explain: boolean;
  /** Whether answers depend on the origin of a request. @default false */
  readonly variesByOrigin?: boolean | undefined;
}

/** Facts that only some refusals have. */
export interface RefusalExtra {
  /** The value of Allow, for a wrong method. */
  readonly allow?: string | undefined;
  /** The exact wait until a request is admitted, for a refusal by the limit. */
  readonly retryAfterMs?: number | undefined;
  /** When that wait begins, in milliseconds since 1970. @default 0 */
  readonly nowMs?: number | undefined;
}

const retryAfter = {
  seconds: (ms) => String(Math.ceil(ms / 1000)),
  "http-date": (ms, nowMs) => formatHttpDate(nowMs + ms),
  absent: () => undefined,
} satisfies Record<Choice<"limit.retry-after">, (ms: number, nowMs: number) => string | undefined>;

/** Lists the assumptions that shaped a response, or says `documented`. */
const EXPLANATION = "x-adsim-assumptions";

export function createResponder(options: ResponderOptions): Responder {
  const { seed, assumptions, explain, variesByOrigin = false } = options;
  const successType = successTypeOf(assumptions);
  const errorBody = errorBodies[assumptions["errors.body"]];
  const form = createBodyRewriter(assumptions, seed);
  const retryAfterValue = retryAfter[assumptions["limit.retry-after"]];
  const challenge = challengeOf(assumptions);
  const statuses = statusesOf(assumptions);
  const successFormatKeys = nonDefaultKeys(assumptions, formatKeys);
  const refusalFormatKeys: ShapedBy = [
    "errors.body",
    ...nonDefaultKeys(assumptions, ["http.cors"]),
  ];

  /** The headers of every response. */
  function setCommonHeaders(headers: Record<string, string>, quotaStatus: QuotaStatus): void {
    headers["x-ratelimit-remaining"] = decimal(quotaStatus.remaining);
    // Also for requests without an origin: a cache must not give their answer to a page.
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
    success:
      form === undefined ? success : (done, ...rest) => success(rewriteBody(done, form), ...rest),
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
      const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "");
      const headers: Record<string, string> = {};
      if (body !== undefined) {
        headers["content-type"] = typeof body === "string" ? "text/plain" : "application/json";
      }
      // A 204 must not have it; with 304 it would be the length of a body that isn't sent (RFC 9110 §8.6).
      if (status !== 204 && status !== 304) headers["content-length"] = decimal(utf8Length(text));
      setCommonHeaders(headers, quotaStatus);
      Object.assign(headers, forPage);
      // The rule's own headers win.
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

/** The success with its rewritten body. */
function rewriteBody(done: Success, form: BodyRewriter): Success {
  const body = form(done.body);
  return { ...done, body, byteLength: done.byteLength + body.length - done.body.length };
}

/** Assumptions about format. They are listed only if their choice isn't the default. */
export const formatKeys: ShapedBy = ["response.form", "http.cors", "ids.format", "money.precision"];

function nonDefaultKeys(assumptions: Assumptions, keys: ShapedBy): ShapedBy {
  const others = keys.filter((key) => assumptions[key] !== catalogue[key].default);
  return others.length === 0 ? documented : others;
}

function explanation(shapedBy: ShapedBy): string {
  return shapedBy.length === 0 ? "documented" : shapedBy.join(", ");
}

/** The response to HEAD: the headers of GET without a body. */
export function withoutBody(response: ApiResponse): ApiResponse {
  return responseOf(response.status, response.headers, "");
}
