/** Every way a request can be refused. The spec defines none (spec §7: "not shown"); these are ours. */

/** One kind of refusal: `status` as HTTP has it, `title` the same for every occurrence. */
export interface ErrorKind {
  readonly status: number;
  readonly title: string;
}

export const errorKinds = {
  malformed_request: { status: 400, title: "The request is not well-formed HTTP" },
  missing_parameter: { status: 400, title: "A required parameter is missing" },
  invalid_parameter: { status: 400, title: "A parameter has a value that can't be used" },
  duplicate_parameter: { status: 400, title: "A parameter was sent more than once" },
  unknown_parameter: { status: 400, title: "The operation has no such parameter" },
  malformed_body: { status: 400, title: "The request body can't be read" },
  unauthorized: { status: 401, title: "No valid API key was sent" },
  foreign_publisher: { status: 403, title: "The API key belongs to another publisher" },
  route_not_found: { status: 404, title: "There is no operation at this path" },
  publisher_not_found: { status: 404, title: "There is no such publisher" },
  surface_not_found: { status: 404, title: "The publisher has no such surface" },
  impression_not_found: { status: 404, title: "The publisher has no such impression" },
  method_not_allowed: { status: 405, title: "The operation has another method" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  surface_inactive: { status: 409, title: "The surface is not active" },
  duplicate_impression: { status: 409, title: "The impression was recorded before" },
  duplicate_click: { status: 409, title: "The click was recorded before" },
  click_too_late: { status: 410, title: "The impression is too old to be clicked" },
  body_too_large: { status: 413, title: "The request body is too large" },
  query_too_long: { status: 414, title: "The query is too long" },
  unsupported_media_type: { status: 415, title: "The request body has an unsupported format" },
  rate_limited: { status: 429, title: "The request limit is exceeded" },
  headers_too_large: { status: 431, title: "The request line and headers are too large" },
} as const;

errorKinds satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** Whether a refusal says that the event is on record already. `code`: a journal's reason may be one or something else. */
export function saysDuplicate(code: string): boolean {
  return duplicateCodes.includes(code);
}

const duplicateCodes: readonly string[] = [
  "duplicate_impression",
  "duplicate_click",
] satisfies ErrorCode[];

/** Why a request was refused. `detail` is for people and never repeats what may be a secret. */
export interface Rejection {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The parameter at fault, where it is one. */
  readonly parameter?: string;
}

/** What a server says of requests that never become one: it can't read them as HTTP. */
export const unreadable = {
  malformed_request: {
    code: "malformed_request",
    detail: "The request can't be read as HTTP/1.1.",
  },
  request_timeout: {
    code: "request_timeout",
    detail: "The request did not arrive in the time that the server waits for one.",
  },
  headers_too_large: {
    code: "headers_too_large",
    detail: "The request line and headers are larger than the server reads.",
  },
} as const;

unreadable satisfies { readonly [Code in ErrorCode]?: Rejection & { readonly code: Code } };
