/**
 * The API's document in OpenAPI 3.1, derived from the contract's tables and the assumptions in force. Every answer is
 * checked against it.
 */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { documentedLimits, isLimited, type Operation, operations } from "../operations.ts";
import type { JsonSchema } from "../responses.ts";
import type { Examples } from "./openapi-examples.ts";
import type { OpenApiHeader, Reference } from "./openapi-headers.ts";
import { describeRequest } from "./openapi-requests.ts";
import { createResponses, type OpenApiResponse } from "./openapi-responses.ts";

/** An OpenAPI 3.1 document: plain data, fit for JSON. */
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
  /** Answers to requests that name no operation, by error code; `redirected` where there are redirects. */
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
  /** Where `/v1` is found. @default "/" */
  readonly baseUrl?: string;
  /** @default no examples */
  readonly examples?: Examples;
}

/** The document of the API under these assumptions. */
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
      summary: `${about}: the headers alone`,
      description: "The answer to GET without its body.",
      responses: responses.ofHead(operation),
    };
    const answersHead = operation.method === "GET" && headSupported[assumptions["http.head"]];
    paths[operation.path] = {
      [operation.method.toLowerCase()]: described,
      ...(answersHead ? { head } : {}),
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
    "payouts. All amounts are in INR. All dates are ISO 8601 calendar dates. Answers may get further fields: ignore the " +
    "ones that you don't know. A path answers to its own methods only; `x-without-operation` has the answers to all " +
    "other requests. `x-error-codes` lists the errors behind a status.",
  contact: { name: "adsim" },
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  { name: "Recording", description: "What a publisher's surfaces showed, and what was clicked" },
  { name: "Reporting", description: "What came of it: figures, surfaces and payouts" },
] as const;

const tagOf = { recording: "Recording", reporting: "Reporting" } satisfies Record<
  Operation["limit"],
  (typeof tags)[number]["name"]
>;

const details = {
  stats:
    "The totals of the period and the figures by surface. Both ends of the period belong to it.",
  impression: "The answer's `impression_id` is what a click refers to.",
  click: "Record the impression first: its answer has the `impression_id`.",
  surfaces: "Each surface with its name, its status and the range of its prices.",
  payouts: "The list has at most `limit` payouts. `pending_inr` is what isn't paid yet.",
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

const headSupported = { supported: true, "405": false } satisfies Record<
  Choice<"http.head">,
  boolean
>;

function bearer(examples: Examples | undefined): unknown {
  const { id, apiKey } = examples?.publisher ?? {};
  const whose = id === undefined ? "" : ` The examples are of ${id}, whose key is ${apiKey}.`;
  return { type: "http", scheme: "bearer", description: `The API key of a publisher.${whose}` };
}
