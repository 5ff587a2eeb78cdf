/**
 * The OpenAPI 3.1 document, derived from the tables of the spec and the assumptions. Tests check every response
 * against it.
 */

import { groupedBy } from "../base/grouped-by.ts";
import type { Assumptions, Choice } from "./assumptions/catalogue.ts";
import { contentTypes, encodingOf } from "./build-request.ts";
import { codesOf, type ErrorCode, errorBodies, errorKinds, statusesOf } from "./errors.ts";
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
}

/** A header or a body, with its schema. */
type Described = { readonly schema: JsonSchema; readonly [member: string]: unknown };

interface OpenApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Described>>;
  /** By media type. */
  readonly content?: Readonly<Record<string, Described>>;
  /** The codes of the errors that get this response; a success has none. */
  readonly "x-error-codes"?: readonly ErrorCode[];
}

type OpenApiOperation = { responses: Record<string, OpenApiResponse>; [part: string]: unknown };

/** An OpenAPI 3.1 document as plain data that can be written as JSON. */
export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** Names a schema in the document. Returns a reference to it. */
type Named = (name: string, schema: JsonSchema) => JsonSchema;

/** The document under these assumptions. `baseUrl`: the URL in front of `/v1`. */
export function openApiDocument(
  assumptions: Assumptions,
  { baseUrl = "/", examples }: { readonly baseUrl?: string; readonly examples?: Examples } = {},
) {
  const schemas: Record<string, JsonSchema> = {};
  const named: Named = (name, schema) => {
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const responsesOf = responseDescriber(assumptions, examples, named);
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const { id, about, limit, method, path } = operation;
    const responses = responsesOf(operation);
    const described = {
      operationId: id,
      summary: about,
      description: `${details[id]} ${limitInWords(operation, assumptions)}`,
      tags: [limit === "recording" ? "Recording" : "Reporting"],
      ...describeRequest(operation, assumptions, examples?.values[id], named),
      responses,
    };
    const head = {
      ...described,
      operationId: `${id}Head`,
      summary: `${about}: headers only`,
      responses: mapValues(responses, ({ content: _none, ...response }) => response),
    };
    paths[path] = method === "GET" ? { get: described, head } : { post: described };
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
    },
  };
}

const info = {
  title: "Publisher Advertising API",
  version: "1",
  description:
    "For publishers who show advertisements on surfaces: record impressions and clicks, and read figures, surfaces and " +
    "payouts. All amounts are in INR. All dates are ISO 8601 calendar dates. Responses may gain fields: ignore those " +
    "that you don't know. `x-error-codes` lists the errors that share a status.",
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
 * Describes the request of an operation. `values` are its example. If the service accepts any encoding of a POST, that is JSON
 * alone: client generators mix up several alternatives.
 */
function describeRequest(
  { id, method, about, parameters }: Operation,
  assumptions: Assumptions,
  values: Values | undefined,
  named: Named,
) {
  const encoding = method === "GET" ? "query" : encodingOf(assumptions);
  const sent = Object.entries(parameters);
  if (encoding === "query") {
    const described = sent.map(([name, parameter]) => ({
      name,
      in: "query",
      required: parameter.required,
      description: parameter.about,
      schema: parameterSchema(parameter, assumptions),
      ...(values && { example: values[name] }),
    }));
    return { parameters: described };
  }
  const schema = named(`${id.charAt(0).toUpperCase()}${id.slice(1)}Request`, {
    type: "object",
    description: `Parameters of the operation: ${about}`,
    properties: mapValues(parameters, (parameter) => ({
      ...parameterSchema(parameter, assumptions),
      description: parameter.about,
    })),
    required: sent.flatMap(([name, { required }]) => (required ? [name] : [])),
    ...(assumptions["request.values"] === "strict" && { additionalProperties: false }),
  });
  const others =
    assumptions["request.encoding"] === "any"
      ? `The service also accepts them, with the same names, in a body of the type ${contentTypes.form} or in the query.`
      : "The service accepts no other encoding.";
  return {
    requestBody: {
      description: `The parameters as ${encoding === "form" ? "a form" : "JSON"}. ${others}`,
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

/** Returns a function that describes the responses to an operation, by status. */
function responseDescriber(assumptions: Assumptions, examples: Examples | undefined, named: Named) {
  // Open schemas, since clients should expect fields that are added later. Some tools reject them unless told so.
  const isEvolved = assumptions["response.form"] === "evolved";
  const extra = isEvolved ? { additionalProperties: true } : {};
  const bodies = responseSchemas(assumptions, { ...extra, named });
  const statuses = statusesOf(assumptions);
  const { schema: errorSchema, contentType: errorType } = errorBodies[assumptions["errors.body"]];
  const problem = errorSchema && named("Problem", errorSchema);

  const refusal = (codes: readonly ErrorCode[]): OpenApiResponse => ({
    description: codes.map((code) => `${errorKinds[code].title}.`).join(" "),
    headers: { ...headers, ...occasionalHeaders(codes, assumptions) },
    ...(errorType && problem && { content: { [errorType]: { schema: problem } } }),
    "x-error-codes": codes,
  });
  return (operation: Operation): Record<string, OpenApiResponse> => {
    const { id } = operation;
    const byStatus = groupedBy(codesOf(operation, assumptions), (code) => statuses[code]);
    const refusals = [...byStatus].map(([status, codes]) => [status, refusal(codes)]);
    const body = { schema: bodies[id], ...(examples && { example: examples.successes[id] }) };
    const content = { [successTypeOf(assumptions)]: body };
    const success = { description: successes[id], headers, content };
    return { "200": success, ...Object.fromEntries(refusals) };
  };
}

const httpDate = {
  type: "string",
  pattern: "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$",
} as const;

/** The headers of every response, apart from those of its content (spec §8). */
const headers: Readonly<Record<string, Described>> = {
  "X-RateLimit-Remaining": {
    description: "How many more requests are allowed now",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  Date: {
    description: "The service's time. A date in Retry-After counts from it",
    required: true,
    schema: httpDate,
  },
};

const retryAfter: Readonly<Record<Choice<"limit.retry-after">, Described | undefined>> = {
  seconds: {
    description: "Seconds until a request is allowed",
    schema: { type: "integer", minimum: 1 },
  },
  "http-date": { description: "When a request is allowed, as an HTTP date", schema: httpDate },
  absent: undefined,
};

/** The headers that only some errors have. Where others share the status, only some of its responses have the header. */
function occasionalHeaders(codes: readonly ErrorCode[], assumptions: Assumptions) {
  const occasional: Record<string, Described> = {};
  const required = codes.length === 1;
  const wait = retryAfter[assumptions["limit.retry-after"]];
  if (codes.includes("rate_limited") && wait) occasional["Retry-After"] = { ...wait, required };
  const challenge = challengeOf(assumptions);
  if (codes.includes("unauthorized") && challenge !== undefined) {
    const schema: JsonSchema = { type: "string", const: challenge };
    occasional["WWW-Authenticate"] = { description: "The scheme to use", schema, required };
  }
  return occasional;
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
