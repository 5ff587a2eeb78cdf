/** Plays another program that has the client's key and uses up its limits. */

import { MINUTE_MS } from "../../base/duration.ts";
import { buildRequest, encodingOf } from "../../spec/build-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import type { TestWorld } from "../driver/test-world.ts";
import { REAL_WAIT_MS } from "../time/real-time.ts";
import type { WorldCommand } from "./command.ts";

/** More than any limit admits in a minute. */
const MAX_SPENT = 20_000;

/**
 * Sends requests until the limit has only `left` left. For the recording limit it reports the same view again and
 * again. Fault rules apply to its requests too. In real time, the clock moves first: then the limit's minute is over
 * soon, unless `limit.algorithm` counts it otherwise.
 *
 * @returns the number of requests.
 */
export function spend(
  { sim, publisher: { id, apiKey }, surfaces }: TestWorld,
  { left, of }: Extract<WorldCommand, { kind: "spend" }>,
): number {
  if (sim.clock.mode !== "frozen") {
    const untilEndMs = MINUTE_MS - (sim.clock.now() % MINUTE_MS);
    sim.clock.advance((untilEndMs - REAL_WAIT_MS + MINUTE_MS) % MINUTE_MS);
  }
  const sending = { key: apiKey, encoding: encodingOf(sim.assumptions) };
  const shown = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "another-ad" };
  const request: ApiRequest =
    of === "recording"
      ? buildRequest("impression", { ...shown, session_id: "another-session" }, sending)
      : buildRequest("stats", { publisher_id: id }, sending);
  let sent = 0;
  let remaining = Number.POSITIVE_INFINITY;
  while (remaining > left && sent < MAX_SPENT) {
    const { headers } = sim.handle(request);
    remaining = Number(headers["x-ratelimit-remaining"] ?? 0);
    sent += 1;
  }
  return sent;
}
