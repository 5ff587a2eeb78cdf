/** Keeps the latest records by number, as many as a count and a budget allow. */

import type { ApiResponse } from "../spec/messages.ts";
import type { BudgetMember, JournalBudget } from "./budget.ts";
import type { JournalRecord } from "./record.ts";

export interface RecordRing extends BudgetMember {
  /** How many records there were since the beginning, those forgotten included. */
  readonly total: number;
  /** Whether nothing is ever kept. */
  readonly isOff: boolean;
  add(record: JournalRecord): void;
  /** Counts so many without keeping them. */
  skip(count: number): void;
  /** The record with this number, from 1, where it is kept. */
  at(sequence: number): JournalRecord | undefined;
  /** Forgets all; numbering goes on. */
  clear(): void;
  /** Forgets all, the numbering included. */
  restart(): void;
  /** Is bounded by this budget from now on, and no longer by the one before. */
  share(budget: JournalBudget): void;
}

/** `entries`: how many records it keeps at most. */
export function createRecordRing(entries: number, initial: JournalBudget): RecordRing {
  let budget = initial;
  const capacity = budget.limitBytes === 0 ? 0 : entries;
  // Entry `n` is at place `(n - first) % capacity`, where `first` is the number of the first entry after a clear.
  let ring: (JournalRecord | undefined)[] = [];
  // Beside the ring, since an old entry is far from the processor: only its place is touched when it goes.
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
      // Its place may not be needed for long: let go of what it holds.
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
      // The numbers of what is kept must follow one another.
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

/** What a record takes beside its texts, in bytes. */
const RECORD_BYTES = 256;
/** What a header field takes beside its text, in bytes: a head of 32 KiB can hold thousands that have next to none. */
const FIELD_BYTES = 64;
/** Shorter texts are taken for one byte a character: what else is in a record outweighs the difference. */
const LONG_TEXT = 1024;
/** A text with one of these takes two bytes for every character. */
const WIDE = /[^\0-\xff]/;

/** What a record holds in memory, near enough to bound a journal by it, and without looking at every character. */
function bytesOf(record: JournalRecord): number {
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
