/** Keeps the latest records by number, within a maximum count and a budget of bytes. */

import type { ApiResponse } from "../spec/messages.ts";
import type { BudgetMember, JournalBudget } from "./budget.ts";
import type { JournalRecord } from "./record.ts";

export interface RecordRing extends BudgetMember {
  /** How many records were added since the beginning, including dropped ones. */
  readonly total: number;
  /** Whether the ring never keeps a record. */
  readonly isOff: boolean;
  add(record: JournalRecord): void;
  /** Counts this many records without keeping them. */
  skip(count: number): void;
  /** The record with this number, from 1; undefined if it was dropped. */
  at(sequence: number): JournalRecord | undefined;
  /** Drops all records. Numbering continues. */
  clear(): void;
  /** Drops all records and restarts the numbering. */
  restart(): void;
  /** Replaces the budget. */
  share(budget: JournalBudget): void;
}

/** `entries` is the maximum number of records. */
export function createRecordRing(entries: number, initial: JournalBudget): RecordRing {
  let budget = initial;
  const capacity = budget.limitBytes === 0 ? 0 : entries;
  // Record `n` has the index `(n - 1 - first) % capacity`, where `first` records were added before the last clear.
  let ring: (JournalRecord | undefined)[] = [];
  // Kept separately: an old record is probably out of the processor's cache, so dropping it shouldn't read it.
  let sizes: number[] = [];
  let first = 0;
  let total = 0;
  let kept = 0;
  let bytes = 0;

  function grow(by: number): void {
    bytes += by;
    budget.changed(by);
  }
  function clear(): void {
    ring = [];
    sizes = [];
    first = total;
    kept = 0;
    grow(-bytes);
  }

  const own: RecordRing = {
    isOff: capacity === 0,
    get total(): number {
      return total;
    },
    get kept(): number {
      return kept;
    },
    get bytes(): number {
      return bytes;
    },
    dropOldest() {
      const place = (total - kept - first) % capacity;
      kept -= 1;
      grow(-(sizes[place] ?? 0));
      // The slot may not be reused for a long time, so free the record now.
      ring[place] = undefined;
    },
    add(record) {
      if (capacity === 0) {
        total += 1;
        return;
      }
      if (kept === capacity) own.dropOldest();
      const place = (total - first) % capacity;
      const size = bytesOf(record);
      ring[place] = record;
      sizes[place] = size;
      kept += 1;
      total += 1;
      grow(size);
      budget.enforce(own);
    },
    skip(count) {
      // The numbers of the kept records must be consecutive.
      if (kept > 0 && count > 0) clear();
      total += count;
      if (kept === 0) first = total;
    },
    at(sequence) {
      const isKept = sequence > total - kept && sequence <= total;
      return isKept ? ring[(sequence - 1 - first) % capacity] : undefined;
    },
    clear,
    restart() {
      total = 0;
      clear();
    },
    share(other) {
      budget.leave(own);
      budget = other;
      budget.join(own);
    },
  };
  budget.join(own);
  return own;
}

/** The size of a record without its texts. */
const RECORD_BYTES = 256;
/** The size of a header field without its text. It matters: 32 KiB of headers can have thousands of tiny fields. */
const FIELD_BYTES = 64;
/** Shorter texts count as one byte per character: the error is small compared with the rest of a record. */
const LONG_TEXT = 1024;
/** V8 stores a text with one of these characters in two bytes per character. */
const WIDE = /[^\0-\xff]/;

/** Estimates the memory that a record takes, without reading every character. */
function bytesOf(record: JournalRecord): number {
  const { path, query, headers, body, response, fault } = record;
  const texts = sizeOf(path) + sizeOf(query) + sizeOf(body) + sizeOf(response.body);
  const bytes = RECORD_BYTES + texts + fieldBytes(headers);
  // A success has a few short headers. A rule may send any.
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

/** Bytes that are sent instead of the body's text. */
function rawBytes({ delivery }: ApiResponse): number {
  return delivery !== undefined && "bytes" in delivery ? delivery.bytes.length : 0;
}
