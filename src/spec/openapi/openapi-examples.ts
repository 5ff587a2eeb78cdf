/** Examples for the OpenAPI document: valid requests with their responses. */

import type { OperationId } from "../operations.ts";
import type { Values } from "./openapi-requests.ts";

export interface Examples {
  /** The publisher that sends the requests. */
  readonly publisher: { readonly id: string; readonly apiKey: string };
  /** The parameters of the valid requests. The click is on the impression. */
  readonly values: Readonly<Record<OperationId, Values>>;
  readonly successes: Readonly<Record<OperationId, unknown>>;
  /** Values of headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
