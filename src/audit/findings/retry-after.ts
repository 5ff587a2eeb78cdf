/** Reads Retry-After as a client does: seconds, or an HTTP date (RFC 9110 §10.2.3). */

import type { JournalRecord } from "../../journal/record.ts";
import { deliveryTraits } from "../../spec/delivery.ts";

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * When the client may try again, on the world's clock; undefined if the answer doesn't say, or says nonsense.
 *
 * @param answeredMs When the client had the answer: seconds count from then. @default when the request arrived
 */
export function retryAtMsOf(
  { nowMs, response }: Pick<JournalRecord, "nowMs" | "response">,
  answeredMs: number = nowMs,
): number | undefined {
  const { status, headers, delivery } = response;
  // If the body breaks off, many clients never see the headers.
  const isCut = delivery !== undefined && deliveryTraits[delivery.kind].seen === "cut";
  const isSeen = status >= 400 && !isCut;
  const value = isSeen ? headers["retry-after"]?.trim() : undefined;
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return answeredMs + Number(value) * 1000;
  const dateMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
