/** The headers of the API's document: those of every response, and those that only some errors have. */

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
  /** The headers of every response, beyond HTTP's own (spec §8). */
  readonly everywhere: HeadersOfResponse;
  /** With the value that was recorded. */
  exemplified(name: string, header: OpenApiHeader): OpenApiHeader;
  /** What a response with these errors has besides. */
  of(codes: readonly ErrorCode[]): HeadersOfResponse;
}

export function createHeaders(
  assumptions: Assumptions,
  recorded: Examples["headers"] = {},
): HeaderDescriber {
  const occasional = occasionalHeaders(assumptions);
  const exemplified: HeaderDescriber["exemplified"] = (name, header) => {
    const text = recorded[name.toLowerCase()];
    if (text === undefined) return header;
    return { ...header, example: header.schema.type === "integer" ? Number(text) : text };
  };
  const described = Object.entries<OpenApiHeader>({
    "X-RateLimit-Remaining": remaining,
    ...furtherLimitHeaders[assumptions["limit.headers"]],
  });
  return {
    limits: Object.fromEntries(
      described.map(([name, header]) => [name, exemplified(name, header)]),
    ),
    everywhere: Object.fromEntries(
      described.map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    exemplified,
    of: (codes) =>
      Object.fromEntries(
        occasional.flatMap(({ header, code, value }) => {
          if (value === undefined || !codes.includes(code)) return [];
          // Where other errors share the status, the header is on some of the responses only.
          const required = codes.every((other) => other === code);
          return [[header, exemplified(header, { ...value, required })]];
        }),
      ),
  };
}

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
          : { description: "The scheme to use", schema: { type: "string", const: challenge } },
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
