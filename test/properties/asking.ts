/** Requests that a test makes itself, in the way that the assumptions in force read. */

import type { ApiResponse, Publisher, Simulator } from "../../src/index.ts";
import { type Call, plainWay, requestOf } from "../../src/testing/oracle/calls.ts";
import { carrierFor } from "./twists.ts";

/** Sends one request with the publisher's key; `publisher_id`, where the operation has it, is the publisher's too. */
export function ask(
  sim: Simulator,
  { id, apiKey }: Pick<Publisher, "id" | "apiKey">,
  operation: Call["operation"],
  values: Call["values"] = {},
): ApiResponse {
  const way = plainWay(operation, carrierFor(sim.assumptions));
  const named = operation === "click" ? values : { publisher_id: id, ...values };
  return sim.handle(requestOf({ operation, values: named, way }, apiKey));
}
