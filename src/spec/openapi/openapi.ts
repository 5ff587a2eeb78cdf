/**
 * The OpenAPI 3.1 document, derived from the tables of the spec and the assumptions. Tests check every response
 * against it.
 */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { documentedLimits, isLimited, type Operation, operations } from "../operations.ts";
import type { JsonSchema } from "../responses.ts";
import type { Examples } from "./openapi-examples.ts";
import type { OpenApiHeader, Reference } from "./openapi-headers.ts";
import { describeRequest } from "./openapi-requests.ts";
import { createResponses, type OpenApiResponse } from "./openapi-responses.ts";

/** An OpenAPI 3.1 document as plain data that can be written as JSON. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly { readonly [scheme: string]: readonly string[] }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: OpenApiOperation } };
  readonly components: {
    readonly securitySchemes: { readonly [name: string]: unknown };
    readonly schemas: { readonly [name: string]: JsonSchema };
    readonly headers: { readonly [name: string]: OpenApiHeader };
    readonly responses: { readonly [code: string]: OpenApiResponse };
  };
  /** By error code: responses to requests that name no operation. */
  readonly "x-without-operation": { readonly [code: string]: OpenApiResponse };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: { readonly [status: string]: OpenApiResponse | Reference };
}

export interface DocumentOptions {
  /** The URL in front of `/v1`. @default "/" */
  readonly baseUrl?: string;
  /** @default no examples */
  readonly examples?: Examples;
}

export function openApiDocument(
  assumptions: Assumptions,
  { baseUrl = "/", examples }: DocumentOptions = {},
): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {};
  const responses = createResponses(assumptions, examples, schemas);
  const limitOf = limitDescriber(assumptions);
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const { id, about, limit } = operation;
    const described = {
      operationId: id,
      summary: about,
      description: `${details[id]} ${limitOf(operation)}`,
      tags: [tagOf[limit]],
      ...describeRequest(operation, assumptions, examples?.values[id], schemas),
      responses: responses.of(operation),
    };
    const head = {
      ...described,
      operationId: `${id}Head`,
      summary: `${about}: headers only`,
      description: "The response to GET without its body.",
      responses: responses.ofHead(operation),
    };
    paths[operation.path] = {
      [operation.method.toLowerCase()]: described,
      ...(operation.method === "GET" ? { head } : {}),
    };
  }
  return {
    openapi: "3.1.1",
    info,
    servers: [{ url: baseUrl }],
    tags,
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: bearer(examples) },
      schemas,
      headers: responses.headers,
      responses: responses.shared,
    },
    "x-without-operation": responses.unrouted,
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
] as const;

const tagOf = { recording: "Recording", reporting: "Reporting" } satisfies Record<
  Operation["limit"],
  (typeof tags)[number]["name"]
>;

const details = {
  stats:
    "The totals of the period and the figures by surface. The period includes its first and last day.",
  impression: "Use the `impression_id` of the response to record a click.",
  click: "Record the impression first: its response has the `impression_id`.",
  surfaces: "Each surface with its name, its status and its price range.",
  payouts: "The list has at most `limit` payouts. `pending_inr` is the amount not yet paid.",
} satisfies Record<Operation["id"], string>;

function limitDescriber(assumptions: Assumptions): (operation: Operation) => string {
  const { recording, reporting } = documentedLimits;
  const recorded = {
    shared: `At most ${recording.requests} impressions and clicks together`,
    separate: `At most ${recording.requests} of these requests`,
  } satisfies Record<Choice<"limit.recording-pool">, string>;
  const limits = {
    recording: `${recorded[assumptions["limit.recording-pool"]]} in a minute for each publisher.`,
    reporting: `At most ${reporting.requests} stats and reporting requests in a minute with each API key.`,
  };
  return ({ id, limit }) =>
    isLimited(id, assumptions) ? limits[limit] : "No request limit applies.";
}

function bearer(examples: Examples | undefined): unknown {
  const { id, apiKey } = examples?.publisher ?? {};
  const whose = id === undefined ? "" : ` The examples use ${id}, whose key is ${apiKey}.`;
  return { type: "http", scheme: "bearer", description: `The API key of a publisher.${whose}` };
}
