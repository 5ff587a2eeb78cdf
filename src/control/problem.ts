/** Refusals of the control API: RFC 9457 problems that name the field, whatever the world's assumptions are. */

import type { InputError } from "../base/input.ts";
import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { documentedLimits } from "../spec/operations.ts";

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

problemKinds satisfies Record<InputError["reason"], unknown>;

export interface Problem {
  readonly kind: keyof typeof problemKinds;
  readonly detail: string;
  /** The query parameter, body field or path part at fault. */
  readonly field?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function problemResponse(problem: Problem): ApiResponse {
  const { status, title } = problemKinds[problem.kind];
  const document = {
    type: `urn:adsim:control:${problem.kind}`,
    title,
    status,
    detail: problem.detail,
    field: problem.field,
  };
  const body = JSON.stringify(document);
  return textResponse({
    status,
    contentType: "application/problem+json",
    body,
    headers: problem.headers,
  });
}

export function inputProblem(error: InputError): ApiResponse {
  return problemResponse({
    kind: error.reason,
    detail: error.message,
    field: error.field || "body",
  });
}

export interface TextResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function textResponse(text: TextResponse): ApiResponse {
  return {
    status: text.status,
    headers: {
      "content-type": text.contentType,
      "content-length": String(utf8Length(text.body)),
      ...commonHeaders,
      ...text.headers,
    },
    body: text.body,
  };
}

/**
 * The control API has no limit, but the spec wants the header on every response (spec §8), and clients may check that.
 * Caches must not store these answers, because they contain keys. No page may load them as a script or a style: a browser that
 * was given the token would send it along.
 */
export const commonHeaders: Readonly<Record<string, string>> = Object.freeze({
  "x-ratelimit-remaining": String(documentedLimits.reporting.requests),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});
