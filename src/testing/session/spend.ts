/** Another program that has the client's key and spends its limits. */

import { operations } from "../../contract/operations.ts";
import type { TestWorld } from "../driver/test-world.ts";
import type { WorldCommand } from "./command.ts";

/** More than any limit admits in a minute. */
const MOST_SPENT = 20_000;

/**
 * Another program with the same key sends until only so much is left: it reports one showing again and again. Fault rules
 * see its requests as well.
 *
 * @returns how many it sent.
 */
export function spend(
  { sim, publisher: { id, apiKey }, surfaces }: TestWorld,
  { left, of }: Extract<WorldCommand, { kind: "spend" }>,
): number {
  const { method, path } = of === "recording" ? operations.impression : operations.stats;
  const names = { surface: surfaces[0]?.id, ad_id: "another-ad", session_id: "another-session" };
  const request = {
    method,
    path,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(of === "recording"
      ? { body: { publisher_id: id, ...names } }
      : { query: { publisher_id: id } }),
  };
  const { "request.encoding": encoding } = sim.assumptions;
  sim.assume({ "request.encoding": "any" });
  let sent = 0;
  let remaining = Number.POSITIVE_INFINITY;
  while (remaining > left && sent < MOST_SPENT) {
    const { headers } = sim.handle(request);
    remaining = Number(headers["x-ratelimit-remaining"] ?? 0);
    sent += 1;
  }
  sim.assume({ "request.encoding": encoding });
  return sent;
}
