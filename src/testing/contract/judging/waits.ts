/** What an answer says of when to come again (spec §8, RFC 9110 §10.2.3). */

import { answeredMs, isWhole } from "../../session/attempts.ts";
import type { WireExchange } from "../../session/wire.ts";

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** When the client may come again, at the earliest; undefined where it isn't told. */
export function waitUntilMs(exchange: WireExchange): number | undefined {
  const { status, headers } = exchange.got;
  const value = headers["retry-after"]?.trim();
  if (status < 400 || value === undefined || !isWhole(exchange)) return undefined;
  if (/^\d{1,9}$/.test(value)) return answeredMs(exchange) + Number(value) * 1000;
  return HTTP_DATE.test(value) ? Date.parse(value) : undefined;
}

/**
 * Whether a client can tell that it was the limit which refused it, whatever the status (`limit.exceeded`): nothing is left,
 * or it is told when to come again.
 */
export function isOfLimit({ got: { status, headers } }: WireExchange): boolean {
  const hints = headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined;
  return status === 429 || ((status === 403 || status === 503) && hints);
}
