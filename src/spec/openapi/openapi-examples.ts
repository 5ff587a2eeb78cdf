/** Examples for the OpenAPI document: valid requests with their responses, and a response for each error. */

import type { ErrorCode } from "../errors.ts";
import type { OperationId } from "../operations.ts";
import type { Values } from "./openapi-requests.ts";

/** The response to an invalid request. `summary` says what is wrong with the request. */
export interface ErrorExample {
  readonly summary: string;
  readonly value: unknown;
}

export type ErrorExamples = { readonly [Code in ErrorCode]?: ErrorExample };

export interface Examples {
  /** The publisher that sends the requests. */
  readonly publisher: { readonly id: string; readonly apiKey: string };
  /** The parameters of the valid requests. The click is on the impression. */
  readonly values: Readonly<Record<OperationId, Values>>;
  readonly successes: Readonly<Record<OperationId, unknown>>;
  readonly refusals: Readonly<Record<OperationId, ErrorExamples>>;
  /** Errors of requests that name no operation. */
  readonly unrouted: ErrorExamples;
  /** Values of headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
