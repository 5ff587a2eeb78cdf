/** Examples of the API's document: valid requests with their answers, and an answer for each error. */

import type { ErrorCode } from "../errors.ts";
import type { OperationId } from "../operations.ts";
import type { Values } from "./openapi-requests.ts";

/** An answer to a wrong request. `summary`: what is wrong with the request. */
export interface ErrorExample {
  readonly summary: string;
  readonly value: unknown;
}

export type ErrorExamples = { readonly [Code in ErrorCode]?: ErrorExample };

export interface Examples {
  /** Whose requests they are. */
  readonly publisher: { readonly id: string; readonly apiKey: string };
  /** The parameters of the right requests. They follow each other: the click is on the impression. */
  readonly values: Readonly<Record<OperationId, Values>>;
  readonly successes: Readonly<Record<OperationId, unknown>>;
  readonly refusals: Readonly<Record<OperationId, ErrorExamples>>;
  /** Errors of requests that name no operation. */
  readonly unrouted: ErrorExamples;
  /** Values of headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
