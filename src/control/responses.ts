/** The answers of the control API. Refusals are RFC 9457 problems that name the field, whatever the world's assumptions are. */

import type { InputError } from "../base/input.ts";
import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { documentedLimits } from "../spec/operations.ts";

type Headers = Readonly<Record<string, string>>;

/**
 * The control API has no limit, but the spec wants the header on every response (spec §8), and clients may check that.
 * Caches must not store these answers, because they contain keys. No page may load them as a script or a style: a browser that
 * was given the token would send it along.
 */
export const commonHeaders: Headers = Object.freeze({
  "x-ratelimit-remaining": String(documentedLimits.reporting.requests),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

export const nothing: ApiResponse = { status: 204, headers: commonHeaders, body: "" };

export function json(value: unknown): ApiResponse {
  return text("application/json", JSON.stringify(value));
}

/** `location`: where to find it. */
export function created(value: unknown, location: string): ApiResponse {
  const { headers, body } = json(value);
  return { status: 201, headers: { ...headers, location }, body };
}

export function text(contentType: string, body: string, headers: Headers = {}): ApiResponse {
  const length = String(utf8Length(body));
  const all = { "content-type": contentType, "content-length": length, ...commonHeaders };
  return { status: 200, headers: { ...all, ...headers }, body };
}

/** The errors of the control API, and of requests that may not create a world. */
const problemKinds = {
  invalid: { status: 400, title: "The request has an invalid value" },
  unauthorized: { status: 401, title: "The control token is missing or wrong" },
  forbidden: { status: 403, title: "The control API may not be used from this place" },
  "no-world": { status: 403, title: "There is no such world, and this request may not create it" },
  "not-found": { status: 404, title: "The request names something that doesn't exist" },
  "method-not-allowed": { status: 405, title: "The path doesn't support this method" },
  conflict: { status: 409, title: "The request conflicts with the current state" },
  gone: { status: 410, title: "The world was dropped to make room for others" },
  absent: { status: 412, title: "There is no such world" },
  "too-large": { status: 413, title: "The request body is too large" },
  "unsupported-media-type": { status: 415, title: "The request body must be JSON" },
  "too-much": { status: 422, title: "The request would take too much time or memory" },
  bug: { status: 500, title: "The simulator failed" },
} as const;

/** `field`: the query parameter, body field or path part at fault. */
export function problem(
  kind: keyof typeof problemKinds,
  detail: string,
  field?: string,
  headers: Headers = {},
): ApiResponse {
  const { status, title } = problemKinds[kind];
  const document = { type: `urn:adsim:control:${kind}`, title, status, detail, field };
  return { ...text("application/problem+json", JSON.stringify(document), headers), status };
}

export function inputProblem({ reason, message, field }: InputError): ApiResponse {
  return problem(reason, message, field || "body");
}
