/**
 * The responses in the OpenAPI document: the statuses, bodies and headers of each operation under the assumptions. Uses the
 * same tables of statuses and content types as the responder.
 */

import { groupedBy } from "../../base/grouped-by.ts";
import type { Assumptions } from "../assumptions/catalogue.ts";
import { errorBodies } from "../error-bodies.ts";
import { codesOf, type ErrorCode, errorKinds, statusesOf, unroutedCodes } from "../errors.ts";
import type { Operation } from "../operations.ts";
import { type JsonSchema, successTypeOf } from "../responses.ts";
import type { Examples } from "./openapi-examples.ts";
import {
  createHeaders,
  type HeadersOfResponse,
  type OpenApiHeader,
  type Reference,
} from "./openapi-headers.ts";
import { documentedSchemas } from "./openapi-successes.ts";

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: HeadersOfResponse;
  readonly content?: { readonly [mediaType: string]: OpenApiContent };
  /** The codes of the errors that get this response; a success has none. */
  readonly "x-error-codes"?: readonly ErrorCode[];
}

export interface OpenApiContent {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

type Responses = { readonly [status: string]: OpenApiResponse };

export interface ResponseDescriber {
  /** The headers of every response. */
  readonly headers: { readonly [name: string]: OpenApiHeader };
  /** By error code: responses that are the same for every operation and the only ones with their status. */
  readonly shared: { readonly [code: string]: OpenApiResponse };
  /** By error code: responses to requests that name no operation. */
  readonly unrouted: { readonly [code: string]: OpenApiResponse };
  of(operation: Operation): { readonly [status: string]: OpenApiResponse | Reference };
  /** The responses to HEAD, which have no body. */
  ofHead(operation: Operation): Responses;
}

/** Errors whose response is the same for every operation. */
const alike: readonly ErrorCode[] = [
  "unauthorized",
  "request_timeout",
  "body_too_large",
  "query_too_long",
  "headers_too_large",
];

/** Adds named schemas to `schemas`. */
export function createResponses(
  assumptions: Assumptions,
  examples: Examples | undefined,
  schemas: Record<string, JsonSchema>,
): ResponseDescriber {
  const named = (name: string, schema: JsonSchema): JsonSchema => {
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const successType = successTypeOf(assumptions);
  const statuses = statusesOf(assumptions);
  const bodies = documentedSchemas(assumptions, named);
  const { schema: errorSchema, contentType: errorType } = errorBodies[assumptions["errors.body"]];
  const problem = errorSchema && named("Problem", errorSchema);
  const headers = createHeaders(assumptions, examples?.headers);

  function refusal(codes: readonly ErrorCode[]) {
    return {
      description: codes.map((code) => `${errorKinds[code].title}.`).join(" "),
      headers: { ...headers.everywhere, ...headers.of(codes) },
      ...(errorType === undefined ? {} : { content: { [errorType]: { schema: problem ?? {} } } }),
      "x-error-codes": codes,
    };
  }
  function responses(operation: Operation): Responses {
    const byStatus = groupedBy(codesOf(operation, assumptions), (code) => statuses[code]);
    const refusals = [...byStatus].map(([status, codes]) => [status, refusal(codes)]);
    const success: OpenApiResponse = {
      description: successes[operation.id],
      headers: headers.everywhere,
      content: {
        [successType]: {
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
    unrouted: Object.fromEntries(unroutedCodes.map((code) => [code, refusal([code])])),
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
  impression: "The impression is recorded, by this request or an earlier one",
  click: "The click is recorded, by this request or an earlier one",
  surfaces: "The publisher's surfaces",
  payouts: "The publisher's payouts",
} satisfies Record<Operation["id"], string>;
