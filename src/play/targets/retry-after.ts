/** What an answer over a limit says about when to come back. */

import { MINUTE_MS } from "../../base/duration.ts";
import type { ClientExchange, Outgoing } from "../../invariants/client-exchange.ts";
import type { Target } from "./target.ts";

/** Sends a request that isn't the scenario's. If a limit is used up, waits until there is quota, and sends it again. */
export async function sendWhenAllowed(
  { send, waitForQuota }: Pick<Target, "send" | "waitForQuota">,
  outgoing: Outgoing,
): Promise<ClientExchange> {
  const answer = await send(outgoing);
  if (!isOverLimit(answer)) return answer;
  // As the answer says, at most a minute: the limits are per minute.
  await waitForQuota?.(Math.min(retryAfterMs(answer) ?? MINUTE_MS, MINUTE_MS));
  return await send(outgoing);
}

/** Whether the answer was refused for a used-up limit. The specification names no status for it. */
function isOverLimit({ status, headers }: ClientExchange): boolean {
  if (status < 400 || headers["x-ratelimit-remaining"] !== "0") return false;
  return status === 429 || status === 503 || headers["retry-after"] !== undefined;
}

/** The wait in milliseconds after the answer: its Retry-After is in seconds or a date (RFC 9110 §10.2.3). */
export function retryAfterMs({
  headers,
  atMs,
}: Pick<ClientExchange, "headers" | "atMs">): number | undefined {
  const hint = headers["retry-after"];
  if (hint === undefined) return undefined;
  if (/^\d+$/.test(hint)) return Number(hint) * 1000;
  const untilMs = Date.parse(hint);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - atMs);
}
