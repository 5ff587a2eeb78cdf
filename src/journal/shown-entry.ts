/**
 * Makes the public entry of a record: bytes as text, header names in lower case. Unless the caller asks for secrets, the values of
 * headers with credentials are replaced here and in exports, no more.
 */

import { formatInstant } from "../base/calendar.ts";
import { microsToInr } from "../base/money.ts";
import { lenientText, toBase64, utf8Text } from "../base/text.ts";
import { deliveryTraits } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { operations } from "../spec/operations.ts";
import type { JournalEntry, JournalFault, Nearest, ShownResponse } from "./entry.ts";
import type { Secrets } from "./filter.ts";
import type { FaultRecord, JournalRecord } from "./record.ts";

export function shownEntry(
  record: JournalRecord,
  sequence: number,
  secrets: Secrets = "redacted",
  nearest?: Nearest,
): JournalEntry {
  const { method, path, query, headers, body, response, fault } = record;
  const { operation, publisher, producedBy, reason, effect, shapedBy } = record;
  return {
    sequence,
    at: formatInstant(record.nowMs),
    operation,
    publisher,
    request: { method, path, query, headers: shownHeaders(headers, secrets), ...shownBody(body) },
    response: shownResponse(response, secrets),
    producedBy,
    limit: producedBy === "limit" && operation ? operations[operation].limit : undefined,
    fault: fault && shownFault(fault, secrets),
    reason,
    effect,
    creditInr: creditInrOf(record),
    assumptions: shapedBy.length === 0 ? "documented" : [...shapedBy],
    ...(nearest && { nearest }),
  };
}

/** The credit in the service's answer to an event, in INR. */
function creditInrOf({ effect, micros, response, fault }: JournalRecord): number | undefined {
  const isEvent = effect === "applied" || effect === "suppressed";
  // A duplicate may be refused, and then its answer shows no credit.
  const own = fault?.lost ?? response;
  return isEvent && own.status === 200 ? microsToInr(micros) : undefined;
}

function shownFault(fault: FaultRecord, secrets: Secrets): JournalFault {
  const { rule, kind, delayMs, served, application, received, lost } = fault;
  const shownLost = lost && shownResponse({ ...lost, delivery: undefined }, secrets);
  return { rule, kind, delayMs, served, application, received, lost: shownLost };
}

/** A response as the client got it. */
export function shownResponse(
  { status, headers, body, delivery }: ApiResponse,
  secrets: Secrets = "redacted",
): ShownResponse {
  // Where a part arrived, text may not show its bytes exactly.
  const isPart = delivery !== undefined && deliveryTraits[delivery.kind].received === "part";
  const bytes = isPart && "bytes" in delivery ? delivery.bytes : body;
  return { status, headers: shownHeaders(headers, secrets), ...shownBody(bytes) };
}

function shownHeaders(headers: ApiResponse["headers"], secrets: Secrets): ApiResponse["headers"] {
  const shown = secrets === "shown" ? headers : withoutSecrets(headers);
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

export function shownBody(body: string | Uint8Array): Pick<ShownResponse, "body" | "bodyBase64"> {
  if (typeof body === "string") return { body };
  const text = utf8Text(body);
  return text === undefined
    ? { body: lenientText(body), bodyBase64: toBase64(body) }
    : { body: text };
}

/** Stands in place of a secret. */
export const REDACTED = "(redacted)";

const secretHeaders = /^(?:authorization|cookie|proxy-authorization|x-api-key)$/i;

/** Whether the header with this name, in any case, carries a credential. */
export const isSecretHeader = (name: string): boolean => secretHeaders.test(name);

/** The headers, with the values of those that carry a credential replaced. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]),
  );
}
