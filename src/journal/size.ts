/** What a record holds in memory, near enough to bound a journal by it, and without looking at every character. */

import type { ApiResponse } from "../spec/messages.ts";
import type { JournalRecord } from "./record.ts";

/** What a record takes beside its texts, in bytes. */
const RECORD_BYTES = 256;
/** What a header field takes beside its text, in bytes: a head of 32 KiB can hold thousands that have next to none. */
const FIELD_BYTES = 64;
/** Shorter texts are taken for one byte a character: what else is in a record outweighs the difference. */
const LONG_TEXT = 1024;
/** A text with one of these takes two bytes for every character. */
const WIDE = /[^\0-\xff]/;

/** Called for every request. */
export function bytesOf(record: JournalRecord): number {
  const { path, query, headers, body, response, fault } = record;
  const texts = sizeOf(path) + sizeOf(query) + sizeOf(body) + sizeOf(response.body);
  const bytes = RECORD_BYTES + texts + fieldBytes(headers);
  // A success has a few short headers; a redirect repeats the query, and a rule may send what it likes.
  if (response.status === 200 && fault === undefined) return bytes;
  return bytes + fieldBytes(response.headers) + lostBytes(fault?.lost) + rawBytes(response);
}

function sizeOf(body: string | Uint8Array): number {
  const { length } = body;
  return length > LONG_TEXT && typeof body === "string" && WIDE.test(body) ? 2 * length : length;
}

function fieldBytes(headers: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const name in headers) bytes += FIELD_BYTES + name.length + (headers[name]?.length ?? 0);
  return bytes;
}

function lostBytes(lost: ApiResponse | undefined): number {
  return lost === undefined ? 0 : sizeOf(lost.body) + fieldBytes(lost.headers);
}

/** Bytes that stand in the body's place. */
function rawBytes({ delivery }: ApiResponse): number {
  return delivery?.kind === "bytes" || delivery?.kind === "noise" ? delivery.bytes.length : 0;
}
