/** Requests that a test makes itself, in the encoding that the assumptions in force accept. */

import type { ApiResponse, Publisher, Simulator } from "../../src/index.ts";
import { buildRequest, encodingOf } from "../../src/spec/build-request.ts";
import type { OperationId } from "../../src/spec/operations.ts";

/** Sends one request with the publisher's key; `publisher_id`, where the operation has it, is the publisher's too. */
export function ask(
  sim: Simulator,
  { id, apiKey }: Pick<Publisher, "id" | "apiKey">,
  operation: OperationId,
  values: Readonly<Record<string, unknown>> = {},
): ApiResponse {
  const named = operation === "click" ? values : { publisher_id: id, ...values };
  const sending = { key: apiKey, encoding: encodingOf(sim.assumptions) };
  return sim.handle(buildRequest(operation, named, sending));
}
