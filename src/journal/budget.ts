/** Limits the bytes of all journals of a server together. Above the limit, the largest journal drops its oldest entries. */

/** The part of a journal that a budget uses. */
export interface BudgetMember {
  /** The size of its entries. */
  readonly bytes: number;
  /** The number of its entries. */
  readonly kept: number;
  dropOldest(): void;
}

export interface JournalBudget {
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

export function createJournalBudget(limitBytes: number): JournalBudget {
  const journals = new Set<BudgetMember>();
  let usedBytes = 0;

  /** The largest journal that can drop an entry. */
  function largest(recording: BudgetMember): BudgetMember | undefined {
    let found: BudgetMember | undefined;
    for (const journal of journals) {
      if (journal.kept <= (journal === recording ? 1 : 0)) continue;
      if (found === undefined || journal.bytes > found.bytes) found = journal;
    }
    return found;
  }

  return {
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
        const journal = largest(recording);
        if (journal === undefined) return;
        journal.dropOldest();
      }
    },
    leave(journal) {
      if (journals.delete(journal)) usedBytes -= journal.bytes;
    },
  };
}
