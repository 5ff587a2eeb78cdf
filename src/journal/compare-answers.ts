/** Compares two answers to one request, the recorded one and the new one, byte for byte. */

import { printable, shortened } from "../base/text.ts";
import type { RecordedResponse } from "./recorded-exchange.ts";

/** The new answer. */
export interface ReplayedAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Two values that should be the same. */
export interface Sides {
  /** Undefined if there was none. */
  readonly recorded: string | undefined;
  readonly now: string | undefined;
}

export interface Difference {
  readonly status?: { readonly recorded: number; readonly now: number } | undefined;
  readonly headers: readonly ({ readonly name: string } & Sides)[];
  /** `byte`: index of the first difference, from 0. The sides show the text around it. */
  readonly body?: ({ readonly byte: number } & Sides) | undefined;
}

/** Headers that aren't the service's own: they come from the connection, the clock, a proxy, or a fault rule's `explain`. */
const transportHeaders: ReadonlySet<string> = new Set([
  "age",
  "alt-svc",
  "cf-cache-status",
  "cf-ray",
  "connection",
  "content-encoding",
  "date",
  "keep-alive",
  "nel",
  "proxy-connection",
  "report-to",
  "server",
  "server-timing",
  "set-cookie",
  "strict-transport-security",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "vary",
  "via",
  "x-adsim-fault",
  "x-cache",
  "x-powered-by",
]);

/** The difference; undefined if there is none. */
export function differenceOf(
  recorded: RecordedResponse,
  now: ReplayedAnswer,
  ignoredHeaders: ReadonlySet<string> = transportHeaders,
): Difference | undefined {
  const status =
    recorded.status === now.status ? undefined : { recorded: recorded.status, now: now.status };
  const headers = headerDifferences(recorded, now, ignoredHeaders);
  const body = recorded.body === undefined ? undefined : bodyDifference(recorded.body, now.body);
  if (status === undefined && headers.length === 0 && body === undefined) return undefined;
  return { status, headers, body };
}

function headerDifferences(
  recorded: RecordedResponse,
  now: ReplayedAnswer,
  ignored: ReadonlySet<string>,
): Difference["headers"] {
  const names = new Set([...Object.keys(recorded.headers), ...Object.keys(now.headers)]);
  // Compression changes the length of a body, and a chunked body has no Content-Length.
  const isEncoded = [recorded.headers, now.headers].some(
    (headers) => isCompressed(headers) || headers["transfer-encoding"] !== undefined,
  );
  return [...names].sort().flatMap((name) => {
    if (ignored.has(name) || (name === "content-length" && isEncoded)) return [];
    const before = headerIn(recorded.headers, name);
    const after = headerIn(now.headers, name);
    if (before === after) return [];
    return [{ name, recorded: before && shownText(before), now: after && shownText(after) }];
  });
}

function isCompressed(headers: Readonly<Record<string, string>>): boolean {
  return !/^(identity)?$/i.test(headers["content-encoding"] ?? "");
}

function headerIn(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** Longest shown value, in characters. */
const MAX_SHOWN = 200;

function shownText(text: string): string {
  return shortened(printable(text), MAX_SHOWN);
}

function bodyDifference(
  recorded: string | Uint8Array,
  now: string | Uint8Array,
): Difference["body"] {
  if (recorded === now) return undefined;
  const [left, right] = [bytesOf(recorded), bytesOf(now)];
  const shorter = Math.min(left.length, right.length);
  let byte = 0;
  while (byte < shorter && left[byte] === right[byte]) byte += 1;
  if (byte === left.length && byte === right.length) return undefined;
  return { byte, recorded: around(left, byte), now: around(right, byte) };
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Bytes shown on each side of the first difference. */
const CONTEXT_BYTES = 40;

function around(bytes: Uint8Array, byte: number): string {
  const from = Math.max(0, byte - CONTEXT_BYTES);
  const to = byte + CONTEXT_BYTES;
  const shown = printable(new TextDecoder().decode(bytes.subarray(from, to)));
  const end = to < bytes.length ? "…" : byte >= bytes.length ? "(ends here)" : "";
  return `${from > 0 ? "…" : ""}${shown}${end}`;
}
