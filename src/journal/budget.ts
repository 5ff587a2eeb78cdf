/** Limits the bytes of one journal or of all journals of a server. Above it, the largest one drops its oldest entries. */

/** The part of a journal that a budget uses. */
export interface BudgetMember {
  /** The size of its entries. */
  readonly bytes: number;
  /** The number of its entries. */
  readonly kept: number;
  dropOldest(): void;
}

export interface JournalBudget {
  /** How many bytes all journals may keep. The latest entry is kept even if it is larger; 0 turns journals off. */
  readonly limitBytes: number;
  usedBytes(): number;
  /** Adds a journal with its present entries. */
  join(journal: BudgetMember): void;
  /** Must be called when the size of a journal changes. `bytes` is the difference. */
  changed(bytes: number): void;
  /** Drops entries until the limit is met, but never the latest entry of `recording`, which has just recorded it. */
  enforce(recording: BudgetMember): void;
  /** Removes a journal. */
  leave(journal: BudgetMember): void;
}

/** The largest journal is searched again only after it has become this much smaller than the second largest. */
const SLACK_BYTES = 65_536;

export function createJournalBudget(limitBytes: number): JournalBudget {
  const journals = new Set<BudgetMember>();
  let usedBytes = 0;
  let largest: BudgetMember | undefined;
  let floorBytes = 0;

  /** Finds the largest journal that can drop an entry. */
  function findLargest(recording: BudgetMember): void {
    largest = undefined;
    let nextBytes = 0;
    for (const journal of journals) {
      if (journal.kept <= (journal === recording ? 1 : 0)) continue;
      if (largest === undefined || journal.bytes > largest.bytes) {
        nextBytes = largest?.bytes ?? 0;
        largest = journal;
      } else nextBytes = Math.max(nextBytes, journal.bytes);
    }
    floorBytes = nextBytes - SLACK_BYTES;
  }

  return {
    limitBytes,
    usedBytes: () => usedBytes,
    join(journal) {
      journals.add(journal);
      usedBytes += journal.bytes;
    },
    changed(bytes) {
      usedBytes += bytes;
    },
    enforce(recording) {
      while (usedBytes > limitBytes) {
        const isLeft = largest !== undefined && largest.kept > (largest === recording ? 1 : 0);
        if (!isLeft || (largest?.bytes ?? 0) < floorBytes) findLargest(recording);
        if (largest === undefined) return;
        largest.dropOldest();
      }
    },
    leave(journal) {
      if (!journals.delete(journal)) return;
      usedBytes -= journal.bytes;
      if (largest === journal) largest = undefined;
    },
  };
}
