/**
 * Every way a request can be refused, in one table: the status, the requests that can get it, and the assumptions that shape
 * it. The spec defines no errors (spec §7: "not shown"); these are ours.
 */

import type { AssumptionKey, Assumptions, Choice } from "./assumptions/catalogue.ts";
import { isLimited, type Operation, type OperationId } from "./operations.ts";

/** One kind of refusal. */
interface ErrorKind {
  /** The same for every occurrence. */
  readonly title: string;
  /** The HTTP status, or the assumption that decides it. */
  readonly status: number | keyof typeof statuses;
  /**
   * The operations that can answer so: those with a request limit, with a body or with a `publisher_id`; these operations;
   * or none, if the request names no operation. @default every operation
   */
  readonly of?: "limited" | "body" | "publisher" | "none" | readonly OperationId[];
  /** It occurs only under one of these choices. @default under any */
  readonly when?: { readonly [Key in AssumptionKey]?: readonly Choice<Key>[] };
  /** The assumptions that shape it, besides those of `status` and `when`. */
  readonly shapedBy?: readonly AssumptionKey[];
}

/** The statuses that an assumption decides, by choice. */
const statuses = {
  "errors.invalid": { "400": 400, "422": 422 },
  "auth.failure": { "401": 401, "403": 403 },
  "limit.exceeded": { "429": 429, "403": 403, "503": 503 },
  "surface.unknown": { "404": 404, "400": 400 },
  "click.unknown": { "404": 404, "400": 400 },
} satisfies { readonly [Key in AssumptionKey]?: Readonly<Record<Choice<Key>, number>> };

export const errorKinds = {
  malformed_request: { title: "The request is not well-formed HTTP", status: 400 },
  missing_parameter: { title: "A required parameter is missing", status: "errors.invalid" },
  invalid_parameter: {
    title: "A parameter has an invalid value",
    status: "errors.invalid",
    shapedBy: ["request.values", "date.inverted-range", "payout.limit-over-max"],
  },
  duplicate_parameter: { title: "A parameter was sent more than once", status: "errors.invalid" },
  unknown_parameter: {
    title: "The operation has no such parameter",
    status: "errors.invalid",
    when: { "request.values": ["strict"] },
  },
  malformed_body: {
    title: "The request body can't be read",
    status: 400,
    of: "body",
    when: { "request.encoding": ["any", "json", "form"] },
  },
  unauthorized: { title: "No valid API key was sent", status: "auth.failure" },
  foreign_publisher: {
    title: "The API key belongs to another publisher",
    status: 403,
    of: "publisher",
    when: { "auth.key-scope": ["publisher"] },
  },
  route_not_found: { title: "There is no operation at this path", status: 404, of: "none" },
  publisher_not_found: {
    title: "There is no such publisher",
    status: 404,
    of: "publisher",
    shapedBy: ["auth.key-scope"],
  },
  surface_not_found: {
    title: "The publisher has no such surface",
    status: "surface.unknown",
    of: ["stats", "impression"],
  },
  impression_not_found: {
    title: "The publisher has no such impression",
    status: "click.unknown",
    of: ["click"],
    shapedBy: ["auth.key-scope"],
  },
  method_not_allowed: { title: "The path does not support this method", status: 405, of: "none" },
  request_timeout: { title: "The request took too long to arrive", status: 408 },
  surface_inactive: {
    title: "The surface is not active",
    status: 409,
    of: ["impression"],
    when: { "surface.inactive": ["reject"] },
    shapedBy: ["surface.statuses"],
  },
  duplicate_impression: {
    title: "The impression was recorded before",
    status: 409,
    of: ["impression"],
    when: { "dedup.repeat": ["conflict"] },
    shapedBy: ["dedup.key", "dedup.window"],
  },
  duplicate_click: {
    title: "The click was recorded before",
    status: 409,
    of: ["click"],
    when: { "click.repeat": ["conflict"] },
  },
  click_too_late: {
    title: "The impression is too old to be clicked",
    status: 410,
    of: ["click"],
    when: { "click.window": ["24h"] },
  },
  body_too_large: { title: "The request body is too large", status: 413 },
  query_too_long: { title: "The query is too long", status: 414 },
  unsupported_media_type: {
    title: "The request body has an unsupported format",
    status: 415,
    of: "body",
    shapedBy: ["request.encoding"],
  },
  rate_limited: {
    title: "The request limit is exceeded",
    status: "limit.exceeded",
    of: "limited",
    shapedBy: [
      "limit.algorithm",
      "limit.retry-after",
      "limit.recording-pool",
      "limit.reporting-endpoints",
    ],
  },
  headers_too_large: { title: "The request line and headers are too large", status: 431 },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

const kinds: Readonly<Record<ErrorCode, ErrorKind>> = errorKinds;
const errorCodes = Object.keys(errorKinds) as ErrorCode[];

/** The status of every error code under the assumptions. */
export function statusesOf(assumptions: Assumptions): Readonly<Record<ErrorCode, number>> {
  const all = Object.entries(kinds).map(([code, { status }]) => {
    const byChoice: Readonly<Record<string, number>> =
      typeof status === "string" ? statuses[status] : {};
    return [code, typeof status === "string" ? byChoice[assumptions[status]] : status];
  });
  return Object.fromEntries(all);
}

/** The assumptions that shape every refusal with this code. */
export function shapedByCode(code: ErrorCode): readonly AssumptionKey[] {
  const { status, when = {}, shapedBy = [] } = kinds[code];
  const conditions = Object.keys(when) as AssumptionKey[];
  return [...(typeof status === "string" ? [status] : []), ...conditions, ...shapedBy];
}

/** The errors that an operation can answer with under the assumptions. */
export function codesOf(
  { id, method, parameters }: Operation,
  assumptions: Assumptions,
): readonly ErrorCode[] {
  const applies = {
    limited: isLimited(id, assumptions),
    body: method === "POST",
    publisher: "publisher_id" in parameters,
    none: false,
  };
  return errorCodes.filter((code) => {
    const { of = [id], when = {} } = kinds[code];
    const isPossible = Object.entries(when).every(([key, choices]: [string, readonly string[]]) =>
      choices.includes(assumptions[key as AssumptionKey]),
    );
    return isPossible && (typeof of === "string" ? applies[of] : of.includes(id));
  });
}

/** The errors of requests that name no operation. */
export const unroutedCodes = errorCodes.filter((code) => kinds[code].of === "none");

/** Whether a refusal says that the event was recorded before. `code` may be any reason of a journal entry. */
export function saysDuplicate(code: string): boolean {
  return code === "duplicate_impression" || code === "duplicate_click";
}

/** Why a request was refused. `detail` is written for people and never repeats anything that may be a secret. */
export interface Rejection {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The invalid parameter, if there is one. */
  readonly parameter?: string;
}

/** The errors of messages that a server can't read as HTTP requests. */
export const httpRejections = {
  malformed_request: {
    code: "malformed_request",
    detail: "The request can't be read as HTTP/1.1.",
  },
  request_timeout: {
    code: "request_timeout",
    detail: "The request did not arrive completely before the server's time-out.",
  },
  headers_too_large: {
    code: "headers_too_large",
    detail: "The request line and headers are larger than the server accepts.",
  },
} as const satisfies { readonly [Code in ErrorCode]?: Rejection };
