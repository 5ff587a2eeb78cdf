/** A record as users see it: text for what is kept as bytes, lower-case header names, and no secrets unless asked for. */

import { formatInstant } from "../base/calendar.ts";
import { toBase64, utf8Text } from "../base/text.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { type LimitClass, operations } from "../spec/operations.ts";
import type { JournalEntry, JournalFault, Nearest } from "./entry.ts";
import type { Secrets } from "./filter.ts";
import type { JournalRecord } from "./record.ts";
import { bytesWithoutSecrets, REDACTED, withoutSecrets } from "./secrets.ts";

/** How secrets are dealt with. */
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

/** `nearest`: what would have been right, where anything would. */
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
    assumptions: record.shapedBy.length === 0 ? "documented" : [...record.shapedBy],
    ...(nearest && { nearest: shownNearest(nearest, redactor) }),
  };
}

/** Which request limit refused it. */
export function limitOf({ producedBy, operation }: JournalRecord): LimitClass | undefined {
  if (producedBy !== "limit" || operation === undefined) return undefined;
  return operations[operation].limit;
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
  // Looked through once more: as characters it has other secrets than as bytes.
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

/** What the client got of the body, where text may not tell. */
function bytesReceived({ response: { delivery } }: JournalRecord): Uint8Array | undefined {
  return delivery?.kind === "bytes" || delivery?.kind === "cut" ? delivery.bytes : undefined;
}
