/** Makes the public entry of a record: bytes as text, header names in lower case, credentials only if the caller asks. */

import { formatInstant } from "../base/calendar.ts";
import { microsToInr } from "../base/money.ts";
import { lenientText, toBase64, utf8Text } from "../base/text.ts";
import { deliveryTraits } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { type LimitClass, operations } from "../spec/operations.ts";
import type { JournalEntry, JournalFault, Nearest, ShownResponse } from "./entry.ts";
import type { Secrets } from "./filter.ts";
import type { JournalRecord } from "./record.ts";
import { withoutSecrets } from "./secrets.ts";

export function shownEntry(
  record: JournalRecord,
  sequence: number,
  secrets: Secrets,
  nearest: Nearest | undefined,
): JournalEntry {
  return {
    sequence,
    at: formatInstant(record.nowMs),
    operation: record.operation,
    publisher: record.publisher,
    request: {
      method: record.method,
      path: record.path,
      query: record.query,
      headers: shownHeaders(record.headers, secrets),
      ...shownBody(record.body),
    },
    response: shownResponse(record.response, secrets, bytesReceived(record)),
    producedBy: record.producedBy,
    limit: limitOf(record),
    fault: shownFault(record, secrets),
    reason: record.reason,
    effect: record.effect,
    creditInr: creditInrOf(record),
    assumptions: record.shapedBy.length === 0 ? "documented" : [...record.shapedBy],
    ...(nearest && { nearest }),
  };
}

/** An answer that isn't recorded. */
export function shownAnswer(response: ApiResponse): ShownResponse {
  return shownResponse(response, "redacted", bytesReceived({ response }));
}

/** The request limit that refused it, if one did. */
function limitOf({ producedBy, operation }: JournalRecord): LimitClass | undefined {
  if (producedBy !== "limit" || operation === undefined) return undefined;
  return operations[operation].limit;
}

/** The credit in the service's answer to an event, in INR. */
function creditInrOf({ effect, micros, response, fault }: JournalRecord): number | undefined {
  const isEvent = effect === "applied" || effect === "suppressed";
  // A duplicate may be refused, and then its answer shows no credit.
  const own = fault?.lost ?? response;
  return isEvent && own.status === 200 ? microsToInr(micros) : undefined;
}

function shownFault({ fault }: JournalRecord, secrets: Secrets): JournalFault | undefined {
  if (fault === undefined) return undefined;
  const { rule, kind, delayMs, served, application, received, lost } = fault;
  return {
    rule,
    kind,
    delayMs,
    served,
    application,
    received,
    lost: lost && shownResponse(lost, secrets, undefined),
  };
}

function shownHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: Secrets,
): Readonly<Record<string, string>> {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return secrets === "shown" ? lower : withoutSecrets(lower);
}

interface ShownBody {
  readonly body: string;
  readonly bodyBase64?: string;
}

function shownBody(body: string | Uint8Array): ShownBody {
  if (typeof body === "string") return { body };
  const text = utf8Text(body);
  if (text !== undefined) return { body: text };
  return { body: lenientText(body), bodyBase64: toBase64(body) };
}

function shownResponse(
  { status, headers, body }: ApiResponse,
  secrets: Secrets,
  bytes: Uint8Array | undefined,
): JournalEntry["response"] {
  return { status, headers: shownHeaders(headers, secrets), ...shownBody(bytes ?? body) };
}

/** The bytes of the body that the client got, if text may not show them exactly. */
function bytesReceived({
  response: { delivery },
}: Pick<JournalRecord, "response">): Uint8Array | undefined {
  if (delivery === undefined || deliveryTraits[delivery.kind].received !== "part") return undefined;
  return "bytes" in delivery ? delivery.bytes : undefined;
}
