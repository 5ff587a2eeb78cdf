/** The headers in the OpenAPI document: those of every response, and those that only some errors have. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import type { ErrorCode } from "../errors.ts";
import { challengeOf, type JsonSchema } from "../responses.ts";
import type { Examples } from "./openapi-examples.ts";

export interface OpenApiHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Reference {
  readonly $ref: string;
}

/** By name. */
export type HeadersOfResponse = { readonly [name: string]: OpenApiHeader | Reference };

export interface HeaderDescriber {
  readonly limits: { readonly [name: string]: OpenApiHeader };
  /** The headers of every response, apart from HTTP's own (spec §8). */
  readonly everywhere: HeadersOfResponse;
  /** The additional headers of a response with these errors. */
  of(codes: readonly ErrorCode[]): HeadersOfResponse;
}

export function createHeaders(
  assumptions: Assumptions,
  recorded: Examples["headers"] = {},
): HeaderDescriber {
  const occasional = occasionalHeaders(assumptions);
  const exemplified = (name: string, header: OpenApiHeader): OpenApiHeader => {
    const text = recorded[name.toLowerCase()];
    if (text === undefined) return header;
    return { ...header, example: header.schema.type === "integer" ? Number(text) : text };
  };
  const described = Object.entries<OpenApiHeader>({
    "X-RateLimit-Remaining": remaining,
  });
  return {
    limits: Object.fromEntries(
      described.map(([name, header]) => [name, exemplified(name, header)]),
    ),
    everywhere: Object.fromEntries(
      described.map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    of: (codes) =>
      Object.fromEntries(
        occasional.flatMap(({ header, code, value }) => {
          if (value === undefined || !codes.includes(code)) return [];
          // If other errors share the status, only some of its responses have the header.
          const required = codes.every((other) => other === code);
          return [[header, { ...value, required }]];
        }),
      ),
  };
}

const remaining: OpenApiHeader = {
  description: "How many more requests are allowed now",
  required: true,
  schema: { type: "integer", minimum: 0 },
};

interface OccasionalHeader {
  readonly header: string;
  /** The only error that has it. */
  readonly code: ErrorCode;
  /** Undefined if it isn't sent under the assumptions. */
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
          : { description: "The scheme to use", schema: { type: "string", const: challenge } },
    },
    {
      header: "Allow",
      code: "method_not_allowed",
      value: {
        description: "The methods that the path supports",
        schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
      },
    },
  ];
}

const retryAfter = {
  seconds: {
    description: "Seconds until a request is allowed",
    schema: { type: "integer", minimum: 1 },
  },
  "http-date": {
    description: "When a request is allowed, as an HTTP date",
    schema: {
      type: "string",
      pattern: "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$",
    },
  },
  absent: undefined,
} satisfies Record<Choice<"limit.retry-after">, OccasionalHeader["value"]>;
