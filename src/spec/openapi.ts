/**
 * The OpenAPI 3.1 document, derived from the tables of the spec and the assumptions. Tests check every response
 * against it.
 */

import { groupedBy } from "../base/grouped-by.ts";
import type { Assumptions, Choice } from "./assumptions/catalogue.ts";
import { contentTypes, type Encoding, encodingOf } from "./build-request.ts";
import { errorBodies } from "./error-bodies.ts";
import { codesOf, type ErrorCode, errorKinds, statusesOf, unroutedCodes } from "./errors.ts";
import {
  documentedLimits,
  isLimited,
  type Operation,
  type OperationId,
  operations,
  type Parameter,
} from "./operations.ts";
import { challengeOf, type JsonSchema, responseSchemas, successTypeOf } from "./responses.ts";

/** Parameter values by name. */
export type Values = Readonly<Record<string, string | number>>;

/** Valid requests with their responses. */
export interface Examples {
  /** The publisher that sends the requests. */
  readonly publisher: { readonly id: string; readonly apiKey: string };
  /** The parameters of the valid requests. The click is on the impression. */
  readonly values: Readonly<Record<OperationId, Values>>;
  readonly successes: Readonly<Record<OperationId, unknown>>;
  /** Values of headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

type Reference = { readonly $ref: string };

export interface OpenApiHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: { readonly [name: string]: OpenApiHeader | Reference };
  readonly content?: {
    readonly [mediaType: string]: { readonly schema: JsonSchema; readonly example?: unknown };
  };
  /** The codes of the errors that get this response; a success has none. */
  readonly "x-error-codes"?: readonly ErrorCode[];
}

interface OpenApiOperation {
  readonly responses: { readonly [status: string]: OpenApiResponse | Reference };
  readonly [part: string]: unknown;
}

/** An OpenAPI 3.1 document as plain data that can be written as JSON. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The document under these assumptions. `baseUrl`: the URL in front of `/v1`. */
export function openApiDocument(
  assumptions: Assumptions,
  { baseUrl = "/", examples }: { readonly baseUrl?: string; readonly examples?: Examples } = {},
) {
  const schemas: Record<string, JsonSchema> = {};
  const headers = commonHeaders(examples?.headers);
  const describe = responseDescriber(assumptions, examples, schemas, Object.keys(headers));
  const shared: Record<string, OpenApiResponse> = {};
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const { id, about, limit } = operation;
    const responses = describe.responsesOf(operation);
    const described = {
      operationId: id,
      summary: about,
      description: `${details[id]} ${limitInWords(operation, assumptions)}`,
      tags: [limit === "recording" ? "Recording" : "Reporting"],
      ...describeRequest(operation, assumptions, examples?.values[id], schemas),
      responses: mapValues(responses, (response) => {
        const [code, ...others] = response["x-error-codes"] ?? [];
        if (code === undefined || errorKinds[code].of !== undefined || others.length > 0)
          return response;
        shared[code] = response;
        return { $ref: `#/components/responses/${code}` };
      }),
    };
    const head = {
      ...described,
      operationId: `${id}Head`,
      summary: `${about}: headers only`,
      description: "The response to GET without its body.",
      responses: mapValues(responses, ({ content: _none, ...response }) => response),
    };
    paths[operation.path] =
      operation.method === "GET" ? { get: described, head } : { post: described };
  }
  const { id, apiKey } = examples?.publisher ?? {};
  const whose = id === undefined ? "" : ` The examples use ${id}, whose key is ${apiKey}.`;
  const description = `The API key of a publisher.${whose}`;
  return {
    openapi: "3.1.1",
    info,
    servers: [{ url: baseUrl }],
    tags,
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description } },
      schemas,
      headers,
      responses: shared,
    },
    /** By error code: responses to requests that name no operation. */
    "x-without-operation": Object.fromEntries(
      unroutedCodes.map((code) => [code, describe.refusal([code])]),
    ) as Record<string, OpenApiResponse>,
  };
}

const info = {
  title: "Publisher Advertising API",
  version: "1",
  description:
    "For publishers who show advertisements on surfaces: record impressions and clicks, and read figures, surfaces and " +
    "payouts. All amounts are in INR. All dates are ISO 8601 calendar dates. Responses may gain fields: ignore those " +
    "that you don't know. `x-without-operation` has the responses to requests with another path or method. " +
    "`x-error-codes` lists the errors that share a status.",
  contact: { name: "adsim" },
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  { name: "Recording", description: "Record the impressions and clicks on a publisher's surfaces" },
  { name: "Reporting", description: "Read a publisher's figures, surfaces and payouts" },
];

const details = {
  stats:
    "The totals of the period and the figures by surface. The period includes its first and last day.",
  impression: "Use the `impression_id` of the response to record a click.",
  click: "Record the impression first: its response has the `impression_id`.",
  surfaces: "Each surface with its name, its status and its price range.",
  payouts: "The list has at most `limit` payouts. `pending_inr` is the amount not yet paid.",
};

const successes = {
  stats: "The publisher's figures in the period",
  impression: "The impression is recorded, by this request or an earlier one",
  click: "The click is recorded, by this request or an earlier one",
  surfaces: "The publisher's surfaces",
  payouts: "The publisher's payouts",
};

function limitInWords({ id, limit }: Operation, assumptions: Assumptions): string {
  if (!isLimited(id, assumptions)) return "No request limit applies.";
  const most = `At most ${documentedLimits[limit].requests}`;
  if (limit === "reporting")
    return `${most} stats and reporting requests in a minute with each API key.`;
  const isShared = assumptions["limit.recording-pool"] === "shared";
  const what = isShared ? "impressions and clicks together" : "of these requests";
  return `${most} ${what} in a minute for each publisher.`;
}

/**
 * The encoding that the document describes for an operation. If the service accepts any, that is JSON alone: client generators
 * mix up several alternatives.
 */
export function parameterEncodingOf({ method }: Operation, assumptions: Assumptions): Encoding {
  return method === "GET" ? "query" : encodingOf(assumptions);
}

/** Describes the request of an operation. `values` are its example. Adds named schemas to `schemas`. */
function describeRequest(
  operation: Operation,
  assumptions: Assumptions,
  values: Values | undefined,
  schemas: Record<string, JsonSchema>,
) {
  const encoding = parameterEncodingOf(operation, assumptions);
  const sent = Object.entries(operation.parameters);
  if (encoding === "query") {
    const parameters = sent.map(([name, parameter]) => ({
      name,
      in: "query",
      required: parameter.required,
      description: parameter.about,
      schema: parameterSchema(parameter, assumptions),
      ...(values && { example: values[name] }),
    }));
    return { parameters };
  }
  const name = `${operation.id.charAt(0).toUpperCase()}${operation.id.slice(1)}Request`;
  schemas[name] = {
    type: "object",
    description: `Parameters of the operation: ${operation.about}`,
    properties: mapValues(operation.parameters, (parameter) => ({
      ...parameterSchema(parameter, assumptions),
      description: parameter.about,
    })),
    required: sent.flatMap(([name, { required }]) => (required ? [name] : [])),
    ...(assumptions["request.values"] === "strict" && { additionalProperties: false }),
  };
  const format = encoding === "form" ? "a form" : "JSON";
  const others =
    assumptions["request.encoding"] === "any"
      ? `The service also accepts them, with the same names, in a body of the type ${contentTypes.form} or in the query.`
      : "The service accepts no other encoding.";
  const schema = { $ref: `#/components/schemas/${name}` };
  return {
    requestBody: {
      description: `The parameters as ${format}. ${others}`,
      required: true,
      content: { [contentTypes[encoding]]: { schema, ...(values && { example: values }) } },
    },
  };
}

function parameterSchema(parameter: Parameter, assumptions: Assumptions): JsonSchema {
  if (parameter.type !== "integer") {
    const format = parameter.type === "date" ? { format: "date" } : { minLength: 1 };
    return { type: "string", ...format };
  }
  const { minimum, maximum, default: usual } = parameter;
  const isBound = assumptions["payout.limit-over-max"] === "reject";
  return { type: "integer", minimum, ...(isBound && { maximum }), default: usual };
}

function responseDescriber(
  assumptions: Assumptions,
  examples: Examples | undefined,
  schemas: Record<string, JsonSchema>,
  commonNames: readonly string[],
) {
  const named = (name: string, schema: JsonSchema): JsonSchema => {
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  // Open schemas, since clients should expect fields that are added later. Some tools reject them unless told so.
  const isEvolved = assumptions["response.form"] === "evolved";
  const extra = isEvolved ? { additionalProperties: true } : {};
  const bodies = responseSchemas(assumptions, { ...extra, named });
  const statuses = statusesOf(assumptions);
  const { schema: errorSchema, contentType: errorType } = errorBodies[assumptions["errors.body"]];
  const problem = errorSchema && named("Problem", errorSchema);
  const everywhere = Object.fromEntries(
    commonNames.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

  function refusal(codes: readonly ErrorCode[]): OpenApiResponse {
    return {
      description: codes.map((code) => `${errorKinds[code].title}.`).join(" "),
      headers: { ...everywhere, ...occasionalHeaders(codes, assumptions) },
      ...(errorType && { content: { [errorType]: { schema: problem ?? {} } } }),
      "x-error-codes": codes,
    };
  }
  function responsesOf(operation: Operation): Record<string, OpenApiResponse> {
    const byStatus = groupedBy(codesOf(operation, assumptions), (code) => statuses[code]);
    const refusals = [...byStatus].map(([status, codes]) => [status, refusal(codes)]);
    const example = examples && { example: examples.successes[operation.id] };
    const success = {
      description: successes[operation.id],
      headers: everywhere,
      content: { [successTypeOf(assumptions)]: { schema: bodies[operation.id], ...example } },
    };
    return { "200": success, ...Object.fromEntries(refusals) };
  }
  return { refusal, responsesOf };
}

const httpDate = {
  type: "string",
  pattern: "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$",
} as const;

/** The headers of every response, apart from those of its content (spec §8). `recorded`: their examples. */
function commonHeaders(recorded: Examples["headers"] = {}): Record<string, OpenApiHeader> {
  const { date, "x-ratelimit-remaining": remaining } = recorded;
  return {
    "X-RateLimit-Remaining": {
      description: "How many more requests are allowed now",
      required: true,
      schema: { type: "integer", minimum: 0 },
      ...(remaining !== undefined && { example: Number(remaining) }),
    },
    Date: {
      description: "The service's time. A date in Retry-After counts from it",
      required: true,
      schema: httpDate,
      ...(date !== undefined && { example: date }),
    },
  };
}

const retryAfter: Readonly<
  Record<Choice<"limit.retry-after">, Omit<OpenApiHeader, "required"> | undefined>
> = {
  seconds: {
    description: "Seconds until a request is allowed",
    schema: { type: "integer", minimum: 1 },
  },
  "http-date": { description: "When a request is allowed, as an HTTP date", schema: httpDate },
  absent: undefined,
};

/** The headers that only some errors have. Where others share the status, only some of its responses have the header. */
function occasionalHeaders(codes: readonly ErrorCode[], assumptions: Assumptions) {
  const headers: Record<string, OpenApiHeader> = {};
  const required = codes.length === 1;
  const wait = retryAfter[assumptions["limit.retry-after"]];
  if (codes.includes("rate_limited") && wait) headers["Retry-After"] = { ...wait, required };
  const challenge = challengeOf(assumptions);
  if (codes.includes("unauthorized") && challenge !== undefined) {
    const schema: JsonSchema = { type: "string", const: challenge };
    headers["WWW-Authenticate"] = { description: "The scheme to use", schema, required };
  }
  if (codes.includes("method_not_allowed")) {
    const schema: JsonSchema = { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" };
    headers.Allow = { description: "The methods that the path supports", schema, required };
  }
  return headers;
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
