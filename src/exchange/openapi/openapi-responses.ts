/**
 * The responses of the API's document: which statuses, bodies and headers each operation can answer with under the
 * assumptions in force. Statuses and content types are the responder's own.
 */

import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import { type ErrorCode, errorKinds } from "../../spec/errors.ts";
import type { Operation } from "../../spec/operations.ts";
import type { JsonSchema } from "../../spec/responses.ts";
import { challengeOf, contentTypesOf, statusesOf } from "../respond.ts";
import { codesOf, unroutedCodes } from "./openapi-codes.ts";
import { problemSchemaOf } from "./openapi-errors.ts";
import type { ErrorExample, ErrorExamples, Examples } from "./openapi-examples.ts";
import { documentedSchemas } from "./openapi-successes.ts";

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: { readonly [name: string]: OpenApiHeader | Reference };
  readonly content?: { readonly [mediaType: string]: OpenApiContent };
  /** The codes of the errors that are answered so; a success has none. */
  readonly "x-error-codes"?: readonly ErrorCode[];
}

export interface OpenApiContent {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** By error code. */
  readonly examples?: { readonly [code: string]: ErrorExample };
}

export interface OpenApiHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Reference {
  readonly $ref: string;
}

type Responses = { readonly [status: string]: OpenApiResponse };

export interface ResponseDescriber {
  /** The headers of every response. */
  readonly headers: { readonly [name: string]: OpenApiHeader };
  /** By error code: answers that are the same for every operation, and have a status of their own. */
  readonly shared: { readonly [code: string]: OpenApiResponse };
  /** By error code: answers to requests that name no operation; `redirected` where there are redirects. */
  readonly unrouted: { readonly [code: string]: OpenApiResponse };
  of(operation: Operation): { readonly [status: string]: OpenApiResponse | Reference };
  /** The same for HEAD: the headers alone. */
  ofHead(operation: Operation): Responses;
}

/** Errors whose answers are the same for every operation. */
const alike: readonly ErrorCode[] = [
  "unauthorized",
  "request_timeout",
  "body_too_large",
  "query_too_long",
  "headers_too_large",
];

/** `schemas`: named ones are put there. */
export function createResponses(
  assumptions: Assumptions,
  examples: Examples | undefined,
  schemas: Record<string, JsonSchema>,
): ResponseDescriber {
  const named = (name: string, schema: JsonSchema): JsonSchema => {
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const types = contentTypesOf(assumptions);
  const statuses = statusesOf(assumptions);
  const bodies = documentedSchemas(assumptions, named);
  const shape = problemSchemaOf(assumptions);
  const problem = shape && named("Problem", shape);
  const headers = createHeaders(assumptions, examples?.headers);

  function refusal(codes: readonly ErrorCode[], recorded: ErrorExamples | undefined) {
    const found = codes.flatMap((code) => {
      const example = recorded?.[code];
      return example === undefined ? [] : [[code, example] as const];
    });
    const content: OpenApiContent = {
      schema: problem ?? {},
      ...(found.length === 0 ? {} : { examples: Object.fromEntries(found) }),
    };
    return {
      description: codes.map((code) => `${errorKinds[code].title}.`).join(" "),
      headers: { ...headers.everywhere, ...headers.of(codes) },
      ...(types.error === undefined ? {} : { content: { [types.error]: content } }),
      "x-error-codes": codes,
    };
  }
  function responses(operation: Operation): Responses {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of codesOf(operation, assumptions)) {
      const status = statuses[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    const recorded = examples?.refusals[operation.id];
    const refusals = [...byStatus].map(([status, codes]) => [status, refusal(codes, recorded)]);
    const success: OpenApiResponse = {
      description: successes[operation.id],
      headers: headers.everywhere,
      content: {
        [types.success]: {
          schema: bodies[operation.id],
          ...(examples === undefined ? {} : { example: examples.successes[operation.id] }),
        },
      },
    };
    return { "200": success, ...Object.fromEntries(refusals) };
  }

  const shared: Record<string, OpenApiResponse> = {};
  return {
    headers: headers.limits,
    shared,
    unrouted: {
      ...Object.fromEntries(
        unroutedCodes(assumptions).map((code) => [code, refusal([code], examples?.unrouted)]),
      ),
      ...redirects(headers)[assumptions["http.trailing-slash"]],
    },
    of: (operation) =>
      Object.fromEntries(
        Object.entries(responses(operation)).map(([status, response]) => {
          const [code, ...others] = response["x-error-codes"] ?? [];
          if (code === undefined || others.length > 0 || !alike.includes(code)) {
            return [status, response];
          }
          shared[code] = response;
          return [status, { $ref: `#/components/responses/${code}` }];
        }),
      ),
    ofHead: (operation) =>
      Object.fromEntries(
        Object.entries(responses(operation)).map(([status, { content: _none, ...response }]) => [
          status,
          response,
        ]),
      ),
  };
}

const successes = {
  stats: "The publisher's figures in the period",
  impression: "The impression is on record, or was before",
  click: "The click is on record, or was before",
  surfaces: "The publisher's surfaces",
  payouts: "The publisher's payouts",
} satisfies Record<Operation["id"], string>;

interface Headers {
  readonly limits: { readonly [name: string]: OpenApiHeader };
  /** The headers of every response, beyond HTTP's own (spec §8). */
  readonly everywhere: OpenApiResponse["headers"];
  /** With the value that was recorded. */
  exemplified(name: string, header: OpenApiHeader): OpenApiHeader;
  /** What a response with these errors has besides. */
  of(codes: readonly ErrorCode[]): OpenApiResponse["headers"];
}

function createHeaders(assumptions: Assumptions, recorded: Examples["headers"] = {}): Headers {
  const occasional = occasionalHeaders(assumptions);
  const exemplified: Headers["exemplified"] = (name, header) => {
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

function redirects({
  everywhere,
  exemplified,
}: Headers): Readonly<Record<Choice<"http.trailing-slash">, ResponseDescriber["unrouted"]>> {
  const redirected: OpenApiResponse = {
    description:
      "The path of an operation with a slash at its end, and a method of that path: the same without it",
    headers: {
      ...everywhere,
      Location: exemplified("Location", {
        description: "The path without the slash, relative, with the query that was sent",
        required: true,
        schema: { type: "string", pattern: "^\\.\\./[a-z]+(\\?[!-~]+)?$" },
      }),
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
