/**
 * Every way a request can be refused, in one table: the status, the requests that can get it, and the assumptions that shape
 * it; and the shapes of an error body. The spec defines no errors (spec §7: "not shown"); these are ours. `detail` is written for
 * people and holds no secrets.
 */

import type { AssumptionKey, Assumptions, Choice } from "./assumptions/catalogue.ts";
import { isLimited, type Operation, type OperationId } from "./operations.ts";
import type { JsonSchema } from "./responses.ts";

/** The assumptions whose choices are statuses. */
type StatusKey = {
  [Key in AssumptionKey]: Choice<Key> extends `${number}` ? Key : never;
}[AssumptionKey];

/** Which requests get an error, and when. */
interface Circumstances {
  /**
   * The operations that can answer so: those with a request limit, with a body or with a `publisher_id`, or these operations.
   * @default every operation
   */
  readonly of?: "limited" | "body" | "publisher" | readonly OperationId[];
  /** It occurs only under one of these choices. @default under any */
  readonly when?: { readonly [Key in AssumptionKey]?: readonly Choice<Key>[] };
  /** The assumptions that shape it, besides those of `status` and `when`. */
  readonly shapedBy?: readonly AssumptionKey[];
}

/** One kind of refusal. `status`: the HTTP status, or the assumption that decides it. `title`: the same for every occurrence. */
function kind(status: number | StatusKey, title: string, circumstances: Circumstances = {}) {
  return { status, title, ...circumstances };
}

export const errorKinds = {
  malformed_request: kind(400, "The request is not well-formed HTTP"),
  missing_parameter: kind("errors.invalid", "A required parameter is missing"),
  invalid_parameter: kind("errors.invalid", "A parameter has an invalid value", {
    shapedBy: ["request.values", "date.inverted-range", "payout.limit-over-max"],
  }),
  duplicate_parameter: kind("errors.invalid", "A parameter was sent more than once"),
  unknown_parameter: kind("errors.invalid", "The operation has no such parameter", {
    when: { "request.values": ["strict"] },
  }),
  malformed_body: kind(400, "The request body can't be read", {
    of: "body",
    when: { "request.encoding": ["any", "json", "form"] },
  }),
  unauthorized: kind("auth.failure", "No valid API key was sent"),
  foreign_publisher: kind(403, "The API key belongs to another publisher", {
    of: "publisher",
    when: { "auth.key-scope": ["publisher"] },
  }),
  route_not_found: kind(404, "There is no operation at this path", { of: [] }),
  publisher_not_found: kind(404, "There is no such publisher", {
    of: "publisher",
    shapedBy: ["auth.key-scope"],
  }),
  surface_not_found: kind("surface.unknown", "The publisher has no such surface", {
    of: ["stats", "impression"],
  }),
  impression_not_found: kind("click.unknown", "The publisher has no such impression", {
    of: ["click"],
    shapedBy: ["auth.key-scope"],
  }),
  method_not_allowed: kind(405, "The path does not support this method", { of: [] }),
  request_timeout: kind(408, "The request took too long to arrive"),
  surface_inactive: kind(409, "The surface is not active", {
    of: ["impression"],
    when: { "surface.inactive": ["reject"] },
    shapedBy: ["surface.statuses"],
  }),
  duplicate_impression: kind(409, "The impression was recorded before", {
    of: ["impression"],
    when: { "dedup.repeat": ["conflict"] },
    shapedBy: ["dedup.key", "dedup.window"],
  }),
  duplicate_click: kind(409, "The click was recorded before", {
    of: ["click"],
    when: { "click.repeat": ["conflict"] },
  }),
  click_too_late: kind(410, "The impression is too old to be clicked", {
    of: ["click"],
    when: { "click.window": ["24h"] },
  }),
  body_too_large: kind(413, "The request body is too large"),
  query_too_long: kind(414, "The query is too long"),
  unsupported_media_type: kind(415, "The request body has an unsupported format", {
    of: "body",
    shapedBy: ["request.encoding"],
  }),
  rate_limited: kind("limit.exceeded", "The request limit is exceeded", {
    of: "limited",
    shapedBy: [
      "limit.algorithm",
      "limit.retry-after",
      "limit.recording-pool",
      "limit.reporting-endpoints",
    ],
  }),
  headers_too_large: kind(431, "The request line and headers are too large"),
};

export type ErrorCode = keyof typeof errorKinds;

/** The status of every error code under the assumptions. */
export function statusesOf(assumptions: Assumptions): Readonly<Record<ErrorCode, number>> {
  const all = Object.entries(errorKinds).map(([code, { status }]) => [
    code,
    typeof status === "number" ? status : Number(assumptions[status]),
  ]);
  return Object.fromEntries(all);
}

/** The assumptions that shape every refusal with this code. */
export function shapedByCode(code: ErrorCode): readonly AssumptionKey[] {
  const { status, when = {}, shapedBy = [] } = errorKinds[code];
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
  };
  return (Object.keys(errorKinds) as ErrorCode[]).filter((code) => {
    const { of = [id], when = {} } = errorKinds[code];
    const isPossible = Object.entries(when).every(([key, choices]: [string, readonly string[]]) =>
      choices.includes(assumptions[key as AssumptionKey]),
    );
    return isPossible && (typeof of === "string" ? applies[of] : of.includes(id));
  });
}

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

/** Without a body, its type and schema are undefined. */
interface ErrorBody {
  readonly contentType: string | undefined;
  write(rejection: Rejection, status: number): string;
  readonly schema: JsonSchema | undefined;
}

const text: JsonSchema = { type: "string", minLength: 1 };
const detail: JsonSchema = { ...text, description: "Describes the error to people" };
const parameter: JsonSchema = { ...text, description: "The invalid parameter, if there is one" };
const code: JsonSchema = {
  type: "string",
  enum: Object.keys(errorKinds),
  description: "Identifies the error to programs",
};

/** The schema of an object with these properties. Only `parameter` is optional. */
function record(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const required = Object.keys(properties).filter((name) => name !== "parameter");
  return { type: "object", description, properties, required };
}

function json(
  schema: JsonSchema,
  bodyOf: (rejection: Rejection, status: number) => object,
  contentType = "application/json",
): ErrorBody {
  return { contentType, schema, write: (...refusal) => JSON.stringify(bodyOf(...refusal)) };
}

const refused = "Why a request was refused";
const entry = record("The error", { code, message: detail, parameter });
const entryOf = ({ detail: message, code, parameter }: Rejection) => ({ code, message, parameter });

export const errorBodies: Readonly<Record<Choice<"errors.body">, ErrorBody>> = {
  problem: json(
    record(`${refused}, as RFC 9457 problem details`, {
      type: { type: "string", pattern: "^urn:adsim:error:[a-z_]+$" },
      title: { ...text, description: "The kind of error, for people" },
      status: { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status" },
      detail,
      code,
      parameter,
    }),
    ({ code, detail, parameter }, status) => {
      const { title } = errorKinds[code];
      return { type: `urn:adsim:error:${code}`, title, status, detail, code, parameter };
    },
    "application/problem+json",
  ),
  envelope: json(record(refused, { error: entry }), (rejection) => ({ error: entryOf(rejection) })),
  flat: json(record(refused, { error: detail }), ({ detail }) => ({ error: detail })),
  list: json(
    record(refused, { errors: { type: "array", items: entry, minItems: 1, maxItems: 1 } }),
    (rejection) => ({ errors: [entryOf(rejection)] }),
  ),
  text: { contentType: "text/plain; charset=utf-8", write: ({ detail }) => detail, schema: detail },
  html: {
    contentType: "text/html; charset=utf-8",
    write: ({ code, detail }) => errorPage(errorKinds[code].title, detail),
    schema: { ...text, description: "An HTML page that describes the error to people" },
  },
  empty: { contentType: undefined, write: () => "", schema: undefined },
};

/** A page that says the same in a browser. */
function errorPage(title: string, detail: string): string {
  const [heading, text] = [escaped(title), escaped(detail)];
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>` +
    `<body><h1>${heading}</h1><p>${text}</p></body></html>`
  );
}

const entities: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&${entities[character]};`);
}
