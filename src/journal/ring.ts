/** Keeps the latest records by number, as many as a count and a budget allow. */

import type { Budgeted, JournalBudget } from "./budget.ts";
import type { JournalRecord } from "./record.ts";
import { bytesOf } from "./size.ts";

export interface RecordRing extends Budgeted {
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
