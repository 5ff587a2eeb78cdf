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
  /** The record with this number, from 1; undefined if it was dropped. */
  at(sequence: number): JournalRecord | undefined;
  /** Drops all records. Numbering continues. */
  clear(): void;
  /** Drops all records and restarts the numbering. */
  restart(): void;
  /** Shares a budget with other rings; undefined ends that. */
  share(budget: JournalBudget | undefined): void;
}

/** `capacity`: the most records. */
export function createRecordRing(capacity: number): RecordRing {
  let budget: JournalBudget | undefined;
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
    budget?.changed(by);
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
      budget?.enforce(own);
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
      budget?.leave(own);
      budget = other;
      budget?.join(own);
    },
  };
  return own;
}

/** The size of a record without its texts, and that of a header field. */
const RECORD_BYTES = 256;
const FIELD_BYTES = 64;

/** Estimates the memory that a record takes. */
function bytesOf({ path, query, headers, body, response, fault }: JournalRecord): number {
  return (
    RECORD_BYTES +
    path.length +
    query.length +
    body.length +
    fieldBytes(headers) +
    answerBytes(response) +
    (fault?.lost === undefined ? 0 : answerBytes(fault.lost))
  );
}

function answerBytes({ body, headers, delivery }: ApiResponse): number {
  const sent = delivery !== undefined && "bytes" in delivery ? delivery.bytes.length : 0;
  return body.length + sent + fieldBytes(headers);
}

function fieldBytes(headers: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const name in headers) bytes += FIELD_BYTES + name.length + (headers[name]?.length ?? 0);
  return bytes;
}
