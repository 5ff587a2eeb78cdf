/**
 * Every way a request can be refused, in one table: the status, the assumption that changes it, and the requests that can
 * get it. The spec defines no errors (spec §7: "not shown"); these are ours.
 */

import type { AssumptionKey, Assumptions, Choice } from "./assumptions/catalogue.ts";
import { isLimited, type Operation, type OperationId } from "./operations.ts";

/** Holds if each of these assumptions has one of the listed choices. */
type ChoiceCondition = { readonly [Key in AssumptionKey]?: readonly Choice<Key>[] };

/** One kind of refusal. */
interface ErrorKind {
  /** The same for every occurrence. */
  readonly title: string;
  /** The usual HTTP status, unless `statusBy` decides it. */
  readonly status: number;
  /** The assumption that decides the status. */
  readonly statusBy?: keyof typeof statuses;
  /** The assumptions that shape every such refusal. @default the one that decides its status */
  readonly shapedBy?: readonly AssumptionKey[];
  /**
   * The operations that can answer so: every one, those with a request limit, with a body or with a `publisher_id`; single
   * operations, each under a condition; or none, if the request names no operation.
   */
  readonly of:
    | "every"
    | "limited"
    | "body"
    | "publisher"
    | "none"
    | { readonly [Id in OperationId]?: ChoiceCondition };
  /** @default under all assumptions */
  readonly when?: ChoiceCondition;
}

export const errorKinds = {
  malformed_request: { title: "The request is not well-formed HTTP", status: 400, of: "every" },
  missing_parameter: {
    title: "A required parameter is missing",
    status: 400,
    statusBy: "errors.invalid",
    of: "every",
  },
  invalid_parameter: {
    title: "A parameter has an invalid value",
    status: 400,
    statusBy: "errors.invalid",
    of: "every",
  },
  duplicate_parameter: {
    title: "A parameter was sent more than once",
    status: 400,
    statusBy: "errors.invalid",
    of: "every",
  },
  unknown_parameter: {
    title: "The operation has no such parameter",
    status: 400,
    statusBy: "errors.invalid",
    of: "every",
    when: { "request.values": ["strict"] },
  },
  malformed_body: {
    title: "The request body can't be read",
    status: 400,
    of: "body",
    when: { "request.encoding": ["any", "json", "form"] },
  },
  unauthorized: {
    title: "No valid API key was sent",
    status: 401,
    statusBy: "auth.failure",
    of: "every",
  },
  foreign_publisher: {
    title: "The API key belongs to another publisher",
    status: 403,
    of: "publisher",
    when: { "auth.key-scope": ["publisher"] },
  },
  route_not_found: { title: "There is no operation at this path", status: 404, of: "none" },
  publisher_not_found: { title: "There is no such publisher", status: 404, of: "publisher" },
  surface_not_found: {
    title: "The publisher has no such surface",
    status: 404,
    statusBy: "surface.unknown",
    of: { stats: {}, impression: {} },
  },
  impression_not_found: {
    title: "The publisher has no such impression",
    status: 404,
    statusBy: "click.unknown",
    of: { click: {} },
  },
  method_not_allowed: {
    title: "The path does not support this method",
    status: 405,
    of: "none",
  },
  request_timeout: { title: "The request took too long to arrive", status: 408, of: "every" },
  surface_inactive: {
    title: "The surface is not active",
    status: 409,
    of: { impression: { "surface.inactive": ["reject"] } },
  },
  duplicate_impression: {
    title: "The impression was recorded before",
    status: 409,
    of: { impression: { "dedup.repeat": ["conflict"] } },
  },
  duplicate_click: {
    title: "The click was recorded before",
    status: 409,
    of: { click: { "click.repeat": ["conflict"] } },
  },
  click_too_late: {
    title: "The impression is too old to be clicked",
    status: 410,
    of: { click: { "click.window": ["24h"] } },
  },
  body_too_large: { title: "The request body is too large", status: 413, of: "every" },
  query_too_long: { title: "The query is too long", status: 414, of: "every" },
  unsupported_media_type: {
    title: "The request body has an unsupported format",
    status: 415,
    of: "body",
  },
  rate_limited: {
    title: "The request limit is exceeded",
    status: 429,
    statusBy: "limit.exceeded",
    shapedBy: ["limit.algorithm", "limit.exceeded", "limit.retry-after"],
    of: "limited",
  },
  headers_too_large: {
    title: "The request line and headers are too large",
    status: 431,
    of: "every",
  },
} as const;

errorKinds satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

const kinds: Readonly<Record<ErrorCode, ErrorKind>> = errorKinds;
const errorCodes = Object.keys(errorKinds) as ErrorCode[];

/** The statuses that an assumption decides, by choice. */
const statuses = {
  "errors.invalid": { "400": 400, "422": 422 },
  "auth.failure": { "401": 401, "403": 403 },
  "limit.exceeded": { "429": 429, "403": 403, "503": 503 },
  "surface.unknown": { "404": 404, "400": 400 },
  "click.unknown": { "404": 404, "400": 400 },
} as const;

statuses satisfies { readonly [Key in AssumptionKey]?: Readonly<Record<Choice<Key>, number>> };

/** The status of every error code under the assumptions. */
export function statusesOf(assumptions: Assumptions): Readonly<Record<ErrorCode, number>> {
  const all = Object.entries(kinds).map(([code, { status, statusBy }]) => {
    const byChoice: Readonly<Record<string, number>> = statusBy ? statuses[statusBy] : {};
    return [code, statusBy === undefined ? status : byChoice[assumptions[statusBy]]];
  });
  return Object.fromEntries(all);
}

/** The assumptions that shape every refusal with this code. */
export function shapedByCode(code: ErrorCode): readonly AssumptionKey[] {
  const { statusBy, shapedBy = statusBy === undefined ? [] : [statusBy] } = kinds[code];
  return shapedBy;
}

/** The errors that an operation can answer with under the assumptions. */
export function codesOf(
  { id, method, parameters }: Operation,
  assumptions: Assumptions,
): readonly ErrorCode[] {
  const applies = {
    every: true,
    limited: isLimited(id, assumptions),
    body: method === "POST",
    publisher: "publisher_id" in parameters,
    none: false,
  };
  return errorCodes.filter((code) => {
    const { of, when = {} } = kinds[code];
    if (typeof of === "string") return applies[of] && holds(when, assumptions);
    const own = of[id];
    return own !== undefined && holds(own, assumptions);
  });
}

/** The errors of requests that name no operation. */
export const unroutedCodes: readonly ErrorCode[] = errorCodes.filter(
  (code) => kinds[code].of === "none",
);

function holds(when: ChoiceCondition, assumptions: Assumptions): boolean {
  return Object.entries(when).every(([key, choices]: [string, readonly string[]]) =>
    choices.includes(assumptions[key as AssumptionKey]),
  );
}

/** Whether a refusal says that the event was recorded before. `code` may be any reason of a journal entry. */
export function saysDuplicate(code: string): boolean {
  return duplicateCodes.includes(code);
}

const duplicateCodes: readonly string[] = [
  "duplicate_impression",
  "duplicate_click",
] satisfies ErrorCode[];

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
} as const;

httpRejections satisfies { readonly [Code in ErrorCode]?: Rejection & { readonly code: Code } };
