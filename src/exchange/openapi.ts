/**
 * The API's document in OpenAPI 3.1, derived from the contract's tables and the assumptions in force. Says what can be
 * answered, never more: every response is checked against it.
 */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { type Operation, operations, type Parameter } from "../contract/operations.ts";
import type { JsonSchema } from "../contract/responses.ts";
import { errorSchemaOf } from "./openapi-errors.ts";
import {
  createResponses,
  type OpenApiHeader,
  type OpenApiResponse,
  type ResponseDescriber,
} from "./openapi-responses.ts";

/** An OpenAPI 3.1 document: plain data, fit for JSON. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly { readonly [scheme: string]: readonly string[] }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: OpenApiOperation } };
  readonly components: {
    readonly securitySchemes: { readonly [name: string]: unknown };
    readonly schemas: { readonly [name: string]: JsonSchema };
    readonly headers: { readonly [name: string]: OpenApiHeader };
    /** Answers to requests that name no operation, by error code; `redirected` where there are redirects. */
    readonly responses: { readonly [code: string]: OpenApiResponse };
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: { readonly [status: string]: OpenApiResponse };
}

/** The document of the API under these assumptions. `baseUrl`: where `/v1` is found. */
export function openApiDocument(assumptions: Assumptions, baseUrl = "/"): OpenApiDocument {
  const answersHead = headOperations[assumptions["http.head"]];
  const responses = createResponses(assumptions);
  const describe = createDescriber(assumptions, responses);
  const { shape } = errorSchemaOf(assumptions);
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const described = describe(operation);
    paths[operation.path] = { [operation.method.toLowerCase()]: described };
    if (operation.method === "GET" && answersHead) {
      paths[operation.path] = { get: described, head: asHead(described) };
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Publisher Advertising API",
      version: "1",
      description:
        "All amounts are in INR, all dates are ISO 8601 calendar dates. A path answers its methods only: anything " +
        "else gets the responses under components.",
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "The API key of a publisher" },
      },
      schemas: shape === undefined ? {} : { Error: shape },
      headers: responses.headers,
      responses: responses.unrouted,
    },
  };
}

const headOperations = { supported: true, "405": false } satisfies Record<
  Choice<"http.head">,
  boolean
>;

function asHead(get: OpenApiOperation): OpenApiOperation {
  const responses = Object.entries(get.responses).map(([status, { description, headers }]) => [
    status,
    { description, headers },
  ]);
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}: the headers alone`,
    responses: Object.fromEntries(responses),
  };
}

function createDescriber(
  assumptions: Assumptions,
  { success, refusals }: ResponseDescriber,
): (operation: Operation) => OpenApiOperation {
  const bodyTypes: RequestBody = requestBodies[assumptions["request.encoding"]];
  return (operation) => {
    const sent = Object.entries(operation.parameters).map(([name, parameter]) => ({
      name,
      parameter,
      schema: parameterSchema(parameter, assumptions),
    }));
    const inQuery = sent.map(({ name, parameter, schema }) => ({
      name,
      in: "query",
      required: parameter.required,
      description: parameter.about,
      schema,
    }));
    const inBody = {
      type: "object",
      properties: Object.fromEntries(
        sent.map(({ name, parameter, schema }) => [
          name,
          { ...schema, description: parameter.about },
        ]),
      ),
      required: sent.flatMap(({ name, parameter }) => (parameter.required ? [name] : [])),
      additionalProperties: allowsUnknown[assumptions["request.unknown-fields"]],
    };
    return {
      operationId: operation.id,
      summary: operation.about,
      ...(operation.method === "GET" || bodyTypes.types.length === 0
        ? { parameters: inQuery }
        : {
            requestBody: {
              description: bodyTypes.about,
              required: bodyTypes.required,
              content: Object.fromEntries(
                bodyTypes.types.map((type) => [type, { schema: inBody }]),
              ),
            },
          }),
      responses: { "200": success(operation), ...refusals(operation) },
    };
  };
}

const requestBodies = {
  any: {
    types: ["application/json", "application/x-www-form-urlencoded"],
    about: "The parameters. They may be sent in the query instead, by the same names.",
    required: false,
  },
  json: { types: ["application/json"], about: "The parameters.", required: true },
  form: { types: ["application/x-www-form-urlencoded"], about: "The parameters.", required: true },
  // The parameters stand in the query.
  query: { types: [], about: "", required: false },
} satisfies Record<Choice<"request.encoding">, RequestBody>;

interface RequestBody {
  /** The content types that are read; none where the parameters come in the query. */
  readonly types: readonly string[];
  readonly about: string;
  readonly required: boolean;
}

const allowsUnknown = { ignore: true, reject: false } satisfies Record<
  Choice<"request.unknown-fields">,
  boolean
>;

const boundsLimit = { reject: true, clamp: false } satisfies Record<
  Choice<"payout.limit-over-max">,
  boolean
>;

function parameterSchema(parameter: Parameter, assumptions: Assumptions): JsonSchema {
  switch (parameter.type) {
    case "string":
      return { type: "string", minLength: 1 };
    case "date":
      return { type: "string", format: "date" };
    case "integer":
      return {
        type: "integer",
        minimum: parameter.minimum,
        ...(boundsLimit[assumptions["payout.limit-over-max"]]
          ? { maximum: parameter.maximum }
          : {}),
        default: parameter.default,
      };
  }
}
