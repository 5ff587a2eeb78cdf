/** `createClient` as a client under test: it keeps nothing and repeats nothing. */

import { type ApiError, createClient, type Result } from "../../src/client.ts";
import type { CreateDriver } from "../../src/contract.ts";

/** A failure as an error, with its status. */
class CallError extends Error {
  readonly status: number | undefined;
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(`${error.kind}: ${error.message}`);
    this.status = error.status;
    this.error = error;
  }
}

export const createPlainDriver: CreateDriver<{ readonly impression_id: string }> = (context) => {
  const { baseUrl, apiKey, fetch, timers, publisherId: publisher_id } = context;
  const client = createClient({ baseUrl, apiKey, fetch, clock: timers });
  return {
    impression: async ({ surface, ad, session }) =>
      settled(await client.impression({ publisher_id, surface, ad_id: ad, session_id: session })),
    click: async ({ impression_id }) => settled(await client.click({ impression_id })),
    stats: async (query) => settled(await client.stats({ publisher_id, ...query })),
    surfaces: async () => settled(await client.surfaces({ publisher_id })),
    payouts: async (query) => settled(await client.payouts({ publisher_id, ...query })),
  };
};

/** @throws CallError unless it went well. */
function settled<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new CallError(result.error);
}
