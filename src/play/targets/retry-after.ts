/** What an answer over a limit says about when to come back. */

import { MINUTE_MS } from "../../base/duration.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";

type Answer = Pick<ClientExchange, "headers" | "status">;

/** Whether the answer was refused for a used-up limit. The specification names no status for it. */
export function isOverLimit({ status, headers }: Answer): boolean {
  if (status < 400 || headers["x-ratelimit-remaining"] !== "0") return false;
  return status === 429 || status === 503 || headers["retry-after"] !== undefined;
}

/** How long to wait until there is quota again: as the answer says, at most a minute, as the limits are per minute. */
export function quotaBackMs(answer: Answer, atMs: number): number {
  return Math.min(retryAfterMs({ ...answer, atMs }) ?? MINUTE_MS, MINUTE_MS);
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
