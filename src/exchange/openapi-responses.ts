/**
 * The responses of the API's document: which statuses, bodies and headers each operation can answer with under the
 * assumptions in force. Statuses and content types are the responder's own.
 */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { type ErrorCode, errorKinds } from "../contract/errors.ts";
import type { Operation, OperationId } from "../contract/operations.ts";
import { type JsonSchema, responseSchemas } from "../contract/responses.ts";
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
  /** Answers to requests that name no operation, by error code. */
  readonly unrouted: { readonly [code: string]: OpenApiResponse };
  success(operation: Operation): OpenApiResponse;
  refusals(operation: Operation): { readonly [status: string]: OpenApiResponse };
}

export function createResponses(assumptions: Assumptions): ResponseDescriber {
  const types = contentTypesOf(assumptions);
  const statuses = statusesOf(assumptions);
  const bodies = responseSchemas({
    additionalProperties: allowsExtra[assumptions["response.extra-fields"]],
    surfaceStatus: surfaceStatuses[assumptions["surface.statuses"]],
    payoutStatus: payoutStatuses[assumptions["payout.statuses"]],
  });
  const { narrowed } = errorSchemas[assumptions["errors.body"]];
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
      content: { [types.error]: { schema: narrowed(status, codes) } },
    };
  }

  return {
    headers: limitHeaders,
    unrouted: Object.fromEntries(unrouted.map((code) => [code, refusal(statuses[code], [code])])),
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

/** The schema of an error body, whichever error. */
export function errorShapeOf(assumptions: Assumptions): JsonSchema {
  return errorSchemas[assumptions["errors.body"]].shape;
}

/** Errors that any operation can answer with; the last three come from the transport. */
const ofEvery: readonly ErrorCode[] = [
  "unauthorized",
  "query_too_long",
  "body_too_large",
  "missing_parameter",
  "invalid_parameter",
  "duplicate_parameter",
  "unknown_parameter",
  "malformed_request",
  "request_timeout",
  "headers_too_large",
];
const ofEveryLimited: readonly ErrorCode[] = ["rate_limited"];
const ofEveryPublisherId: readonly ErrorCode[] = ["publisher_not_found"];
const ofEveryBody: readonly ErrorCode[] = ["malformed_body", "unsupported_media_type"];

function codesOf(operation: Operation, assumptions: Assumptions): readonly ErrorCode[] {
  const own: Readonly<Record<OperationId, readonly ErrorCode[]>> = {
    stats: ["surface_not_found"],
    impression: [
      "surface_not_found",
      ...inactiveCodes[assumptions["surface.inactive"]],
      ...repeatedImpressionCodes[assumptions["dedup.repeat"]],
    ],
    click: ["impression_not_found", ...repeatedClickCodes[assumptions["click.repeat"]]],
    surfaces: [],
    payouts: [],
  };
  return [
    ...ofEvery,
    ...(unlimitedOperations(assumptions).has(operation.id) ? [] : ofEveryLimited),
    ...(operation.method === "POST" ? ofEveryBody : []),
    ...("publisher_id" in operation.parameters
      ? [...ofEveryPublisherId, ...foreignCodes[assumptions["auth.foreign-publisher"]]]
      : []),
    ...own[operation.id],
  ];
}

const unroutedCodes = {
  "405": ["route_not_found", "method_not_allowed"],
  "404": ["route_not_found"],
} satisfies Record<Choice<"errors.method">, readonly ErrorCode[]>;

const foreignCodes = {
  "403": ["foreign_publisher"],
  "404": [],
} satisfies Record<Choice<"auth.foreign-publisher">, readonly ErrorCode[]>;

const inactiveCodes = { reject: ["surface_inactive"] } satisfies Record<
  Choice<"surface.inactive">,
  readonly ErrorCode[]
>;

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

/** `shape`: any error's body. `narrowed`: the body of these errors with this status. */
const errorSchemas = {
  problem: {
    shape: {
      type: "object",
      description: "RFC 9457 problem details",
      properties: {
        type: { type: "string", pattern: "^urn:adsim:error:[a-z_]+$" },
        title: { type: "string", minLength: 1 },
        status: { type: "integer", minimum: 400, maximum: 599 },
        detail: { type: "string", minLength: 1, description: "What is wrong, for people" },
        code: { enum: Object.keys(errorKinds) },
        parameter: { type: "string", minLength: 1, description: "The parameter at fault" },
      },
      required: ["type", "title", "status", "detail", "code"],
      additionalProperties: false,
    },
    narrowed: (status, codes) => ({
      allOf: [
        { $ref: "#/components/schemas/Error" },
        { properties: { status: { const: status }, code: { enum: codes } } },
      ],
    }),
  },
} satisfies Record<
  Choice<"errors.body">,
  {
    readonly shape: JsonSchema;
    narrowed(status: number, codes: readonly ErrorCode[]): JsonSchema;
  }
>;

const allowsExtra = { none: false } satisfies Record<Choice<"response.extra-fields">, boolean>;

const surfaceStatuses = {
  documented: { type: "string", minLength: 1, description: "`active`, until someone changes it" },
} satisfies Record<Choice<"surface.statuses">, JsonSchema>;

const payoutStatuses = {
  documented: { const: "paid" },
} satisfies Record<Choice<"payout.statuses">, JsonSchema>;
