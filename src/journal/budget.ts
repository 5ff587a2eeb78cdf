/** Limits the bytes of one journal, or of all journals of a server. Beyond it, the largest drops its oldest entries. */

/** A journal as a budget sees it. */
export interface BudgetMember {
  /** What its entries hold, in bytes. */
  readonly bytes: number;
  readonly kept: number;
  /** Forgets the oldest entry. */
  dropOldest(): void;
}

export interface JournalBudget {
  /** How many bytes all journals may keep, the latest entry in any case; 0 lets them keep none. */
  readonly limitBytes: number;
  /** What they keep now. */
  usedBytes(): number;
  /** A journal takes part from now on, with what it keeps. */
  join(journal: BudgetMember): void;
  /** What a journal keeps has changed by so much. */
  changed(bytes: number): void;
  /** Makes room. `recording`: the journal that has just recorded; its latest entry stays. */
  enforce(recording: BudgetMember): void;
  /** A journal takes part no longer. */
  leave(journal: BudgetMember): void;
}

/** The largest journal is looked for again only when it has become so much smaller than the next one. */
const SLACK_BYTES = 65_536;

export function createJournalBudget(limitBytes: number): JournalBudget {
  const journals = new Set<BudgetMember>();
  let usedBytes = 0;
  let largest: BudgetMember | undefined;
  let floorBytes = 0;

  /** Journals that can let go of an entry, compared by size. */
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
