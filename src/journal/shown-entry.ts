/** Makes the public entry of a record: bytes as text, header names in lower case, secrets only if the caller asks for them. */

import { formatInstant } from "../base/calendar.ts";
import { microsToInr } from "../base/money.ts";
import { toBase64, utf8Text } from "../base/text.ts";
import { deliveryTraits } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { type LimitClass, operations } from "../spec/operations.ts";
import type { JournalEntry, JournalFault, Nearest, ShownResponse } from "./entry.ts";
import type { Secrets } from "./filter.ts";
import type { JournalRecord } from "./record.ts";
import { bytesWithoutSecrets, REDACTED, withoutSecrets } from "./secrets.ts";

/** Replaces secrets, or leaves them. */
interface Redactor {
  text(text: string): string;
  header(name: string, value: string): string;
  bytes(bytes: Uint8Array): Uint8Array;
}

const redactors: Readonly<Record<Secrets, Redactor>> = {
  redacted: {
    text: withoutSecrets,
    header: (name, value) => (name === "authorization" ? REDACTED : withoutSecrets(value)),
    bytes: bytesWithoutSecrets,
  },
  shown: { text: (text) => text, header: (_name, value) => value, bytes: (bytes) => bytes },
};

export function shownEntry(
  record: JournalRecord,
  sequence: number,
  secrets: Secrets,
  nearest: Nearest | undefined,
): JournalEntry {
  const redactor = redactors[secrets];
  return {
    sequence,
    at: formatInstant(record.nowMs),
    operation: record.operation,
    publisher: record.publisher,
    request: {
      method: redactor.text(record.method),
      path: redactor.text(record.path),
      query: redactor.text(record.query),
      headers: shownHeaders(record.headers, redactor),
      ...shownBody(record.body, redactor),
    },
    response: shownResponse(record.response, redactor, bytesReceived(record)),
    producedBy: record.producedBy,
    limit: limitOf(record),
    fault: shownFault(record, redactor),
    reason: record.reason,
    effect: record.effect,
    creditInr: creditInrOf(record),
    assumptions: assumptionsOf(record),
    ...(nearest && { nearest: shownNearest(nearest, redactor) }),
  };
}

/** An answer that isn't recorded. */
export function shownAnswer(response: ApiResponse, secrets: Secrets): ShownResponse {
  return shownResponse(response, redactors[secrets], bytesReceived({ response }));
}

/** The assumptions that decided the answer. */
export function assumptionsOf({ shapedBy }: JournalRecord): JournalEntry["assumptions"] {
  return shapedBy.length === 0 ? "documented" : [...shapedBy];
}

/** The request limit that refused it, if one did. */
export function limitOf({ producedBy, operation }: JournalRecord): LimitClass | undefined {
  if (producedBy !== "limit" || operation === undefined) return undefined;
  return operations[operation].limit;
}

/** The credit in the service's answer to an event, in INR. */
export function creditInrOf({
  effect,
  micros,
  response,
  fault,
}: JournalRecord): number | undefined {
  const isEvent = effect === "applied" || effect === "suppressed" || effect === "uncounted";
  // A duplicate may be refused, and then its answer shows no credit.
  const own = fault?.lost ?? response;
  return isEvent && own.status === 200 ? microsToInr(micros) : undefined;
}

function shownNearest({ sent, closest, paste }: Nearest, { text }: Redactor): Nearest {
  return { sent: text(sent), closest: text(closest), paste: text(paste) };
}

function shownFault({ fault }: JournalRecord, redactor: Redactor): JournalFault | undefined {
  if (fault === undefined) return undefined;
  const { rule, kind, delayMs, served, application, received, lost } = fault;
  return {
    rule: redactor.text(rule),
    kind,
    delayMs,
    served,
    application,
    received,
    lost: lost && shownResponse(lost, redactor, undefined),
  };
}

function shownHeaders(
  headers: Readonly<Record<string, string>>,
  redactor: Redactor,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lower = name.toLowerCase();
      return [redactor.text(lower), redactor.header(lower, value)];
    }),
  );
}

interface ShownBody {
  readonly body: string;
  readonly bodyBase64?: string;
}

function shownBody(body: string | Uint8Array, redactor: Redactor): ShownBody {
  if (typeof body === "string") return { body: redactor.text(body) };
  const text = utf8Text(body);
  if (text !== undefined) return { body: redactor.text(text) };
  const bytes = redactor.bytes(body);
  // Redacted again: decoding may produce secrets that the bytes didn't show.
  return { body: redactor.text(new TextDecoder().decode(bytes)), bodyBase64: toBase64(bytes) };
}

function shownResponse(
  { status, headers, body }: ApiResponse,
  redactor: Redactor,
  bytes: Uint8Array | undefined,
): JournalEntry["response"] {
  // A redirect repeats the query.
  return {
    status,
    headers: shownHeaders(headers, redactor),
    ...shownBody(bytes ?? body, redactor),
  };
}

/** The bytes of the body that the client got, if text may not show them exactly. */
function bytesReceived({
  response: { delivery },
}: Pick<JournalRecord, "response">): Uint8Array | undefined {
  if (delivery === undefined || deliveryTraits[delivery.kind].received !== "part") return undefined;
  return "bytes" in delivery ? delivery.bytes : undefined;
}
