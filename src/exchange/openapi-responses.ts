/**
 * The responses of the API's document: which statuses, bodies and headers each operation can answer with under the
 * assumptions in force. Statuses and content types are the responder's own.
 */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { type ErrorCode, errorKinds } from "../contract/errors.ts";
import type { Operation, OperationId } from "../contract/operations.ts";
import type { JsonSchema } from "../contract/responses.ts";
import { errorSchemaOf } from "./openapi-errors.ts";
import { successSchemas } from "./openapi-successes.ts";
import { unlimitedOperations } from "./quota.ts";
import { challengeOf, contentTypesOf, statusesOf } from "./respond.ts";

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: { readonly [name: string]: OpenApiHeader | { readonly $ref: string } };
  readonly content?: { readonly [mediaType: string]: { readonly schema: JsonSchema } };
}

export interface OpenApiHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface ResponseDescriber {
  readonly headers: { readonly [name: string]: OpenApiHeader };
  /** Answers to requests that name no operation, by error code; `redirected` where there are redirects. */
  readonly unrouted: { readonly [code: string]: OpenApiResponse };
  success(operation: Operation): OpenApiResponse;
  refusals(operation: Operation): { readonly [status: string]: OpenApiResponse };
}

export function createResponses(assumptions: Assumptions): ResponseDescriber {
  const types = contentTypesOf(assumptions);
  const statuses = statusesOf(assumptions);
  const bodies = successSchemas(assumptions);
  const { narrowed } = errorSchemaOf(assumptions);
  const occasional = occasionalHeaders(assumptions);
  const unrouted = unroutedCodes[assumptions["errors.method"]];
  const limitHeaders = {
    "X-RateLimit-Remaining": remaining,
    ...furtherLimitHeaders[assumptions["limit.headers"]],
  };
  /** The headers of every response whatever, beyond HTTP's own (spec §8). */
  const everywhere = Object.fromEntries(
    Object.keys(limitHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

  function refusal(status: number, codes: readonly ErrorCode[]): OpenApiResponse {
    const headers: Record<string, OpenApiHeader | { $ref: string }> = { ...everywhere };
    for (const { header, code, value } of occasional) {
      if (value === undefined || !codes.includes(code)) continue;
      // Where other errors share the status, the header is on some of the responses only.
      headers[header] = { ...value, required: codes.every((other) => other === code) };
    }
    return {
      description: codes.map((code) => errorKinds[code].title).join(". "),
      headers,
      ...(types.error === undefined
        ? {}
        : { content: { [types.error]: { schema: narrowed(status, codes) } } }),
    };
  }

  return {
    headers: limitHeaders,
    unrouted: {
      ...Object.fromEntries(unrouted.map((code) => [code, refusal(statuses[code], [code])])),
      ...redirects(everywhere)[assumptions["http.trailing-slash"]],
    },
    success: (operation) => ({
      description: operation.about,
      headers: everywhere,
      content: { [types.success]: { schema: bodies[operation.id] } },
    }),
    refusals(operation) {
      const byStatus = new Map<number, ErrorCode[]>();
      for (const code of codesOf(operation, assumptions)) {
        const status = statuses[code];
        byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
      }
      return Object.fromEntries(
        [...byStatus].map(([status, codes]) => [String(status), refusal(status, codes)]),
      );
    },
  };
}

/** Errors that any operation can answer with; the last three come from the transport. */
const ofEvery: readonly ErrorCode[] = [
  "unauthorized",
  "query_too_long",
  "body_too_large",
  "missing_parameter",
  "invalid_parameter",
  "duplicate_parameter",
  "malformed_request",
  "request_timeout",
  "headers_too_large",
];
const ofEveryLimited: readonly ErrorCode[] = ["rate_limited"];
const ofEveryPublisherId: readonly ErrorCode[] = ["publisher_not_found"];
/** Of operations with a body, by how it is read. */
const ofEveryBody = {
  any: ["malformed_body", "unsupported_media_type"],
  json: ["malformed_body", "unsupported_media_type"],
  form: ["malformed_body", "unsupported_media_type"],
  query: ["unsupported_media_type"],
} satisfies Record<Choice<"request.encoding">, readonly ErrorCode[]>;

function codesOf(operation: Operation, assumptions: Assumptions): readonly ErrorCode[] {
  const own: Readonly<Record<OperationId, readonly ErrorCode[]>> = {
    stats: unknownSurfaceCodes[assumptions["surface.unknown"]],
    impression: [
      "surface_not_found",
      ...inactiveCodes[assumptions["surface.inactive"]],
      ...repeatedImpressionCodes[assumptions["dedup.repeat"]],
    ],
    click: [
      ...unknownImpressionCodes[assumptions["click.unknown"]],
      ...lateClickCodes[assumptions["click.window"]],
      ...repeatedClickCodes[assumptions["click.repeat"]],
    ],
    surfaces: [],
    payouts: [],
  };
  return [
    ...ofEvery,
    ...(assumptions["request.unknown-fields"] === "reject" ? (["unknown_parameter"] as const) : []),
    ...(unlimitedOperations(assumptions).has(operation.id) ? [] : ofEveryLimited),
    ...(operation.method === "POST" ? ofEveryBody[assumptions["request.encoding"]] : []),
    ...("publisher_id" in operation.parameters
      ? [...ofEveryPublisherId, ...foreignCodes(assumptions)]
      : []),
    ...own[operation.id],
  ];
}

const unroutedCodes = {
  "405": ["route_not_found", "method_not_allowed"],
  "404": ["route_not_found"],
} satisfies Record<Choice<"errors.method">, readonly ErrorCode[]>;

function foreignCodes(assumptions: Assumptions): readonly ErrorCode[] {
  const ofBoundKeys = {
    "403": ["foreign_publisher"],
    "404": [],
  } satisfies Record<Choice<"auth.foreign-publisher">, readonly ErrorCode[]>;
  const ofScope = {
    publisher: ofBoundKeys[assumptions["auth.foreign-publisher"]],
    any: [],
  } satisfies Record<Choice<"auth.key-scope">, readonly ErrorCode[]>;
  return ofScope[assumptions["auth.key-scope"]];
}

const unknownSurfaceCodes = {
  "404": ["surface_not_found"],
  "400": ["surface_not_found"],
  empty: [],
} satisfies Record<Choice<"surface.unknown">, readonly ErrorCode[]>;

const inactiveCodes = { reject: ["surface_inactive"], uncredited: [] } satisfies Record<
  Choice<"surface.inactive">,
  readonly ErrorCode[]
>;

const unknownImpressionCodes = {
  "404": ["impression_not_found"],
  "400": ["impression_not_found"],
  "accept-uncredited": [],
} satisfies Record<Choice<"click.unknown">, readonly ErrorCode[]>;

const lateClickCodes = {
  none: [],
  "24h": ["click_too_late"],
  "7d": ["click_too_late"],
  "30d": ["click_too_late"],
} satisfies Record<Choice<"click.window">, readonly ErrorCode[]>;

const repeatedImpressionCodes = {
  "original-uncredited": [],
  replay: [],
  conflict: ["duplicate_impression"],
  count: [],
} satisfies Record<Choice<"dedup.repeat">, readonly ErrorCode[]>;

const repeatedClickCodes = {
  "original-uncredited": [],
  replay: [],
  conflict: ["duplicate_click"],
  count: [],
} satisfies Record<Choice<"click.repeat">, readonly ErrorCode[]>;

const remaining: OpenApiHeader = {
  description: "How many more requests are admitted now",
  required: true,
  schema: { type: "integer", minimum: 0 },
};

const furtherLimitHeaders = {
  remaining: {},
  "limit-reset": {
    "X-RateLimit-Limit": {
      description: "How many requests are admitted in a minute",
      required: true,
      schema: { type: "integer", minimum: 1 },
    },
    "X-RateLimit-Reset": {
      description: "When all of them are admitted again, in seconds since 1970",
      required: true,
      schema: { type: "integer", minimum: 0 },
    },
  },
  ietf: {
    "RateLimit-Policy": {
      description: "A limit by its name: so many requests (q) in so many seconds (w)",
      required: true,
      schema: { type: "string", pattern: '^"[a-z]+";q=[1-9][0-9]*;w=[1-9][0-9]*$' },
    },
    RateLimit: {
      description: "How many requests remain (r), and in how many seconds all are back (t)",
      required: true,
      schema: { type: "string", pattern: '^"[a-z]+";r=[0-9]+;t=[0-9]+$' },
    },
  },
} satisfies Record<Choice<"limit.headers">, Readonly<Record<string, OpenApiHeader>>>;

/** `everywhere`: the headers of every response. */
function redirects(
  everywhere: OpenApiResponse["headers"],
): Readonly<Record<Choice<"http.trailing-slash">, ResponseDescriber["unrouted"]>> {
  const redirected: OpenApiResponse = {
    description:
      "The path of an operation with a slash at its end, and a method of that path: the same without it",
    headers: {
      ...everywhere,
      Location: {
        description: "The path without the slash, relative, with the query that was sent",
        required: true,
        schema: { type: "string", pattern: "^\\.\\./[a-z]+(\\?[!-~]+)?$" },
      },
    },
  };
  return { "404": {}, same: {}, "308": { redirected } };
}

interface OccasionalHeader {
  readonly header: string;
  /** The only error that has it. */
  readonly code: ErrorCode;
  /** Undefined where it isn't sent under the assumptions. */
  readonly value: Omit<OpenApiHeader, "required"> | undefined;
}

function occasionalHeaders(assumptions: Assumptions): readonly OccasionalHeader[] {
  const challenge = challengeOf(assumptions);
  return [
    {
      header: "Retry-After",
      code: "rate_limited",
      value: retryAfter[assumptions["limit.retry-after"]],
    },
    {
      header: "WWW-Authenticate",
      code: "unauthorized",
      value:
        challenge === undefined
          ? undefined
          : { description: "The scheme to use", schema: { const: challenge } },
    },
    {
      header: "Allow",
      code: "method_not_allowed",
      value: {
        description: "The methods of the path",
        schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
      },
    },
  ];
}

const retryAfter = {
  seconds: {
    description: "Seconds until a request is admitted",
    schema: { type: "integer", minimum: 1 },
  },
  "http-date": {
    description: "When a request is admitted, as an HTTP date",
    schema: {
      type: "string",
      pattern: "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$",
    },
  },
  absent: undefined,
} satisfies Record<Choice<"limit.retry-after">, OccasionalHeader["value"]>;
