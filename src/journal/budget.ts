/** Limits the bytes of all journals of a server together. Above the limit, the largest journal drops its oldest entries. */

/** The part of a journal that a budget uses: the size and the number of its entries. */
export interface BudgetMember {
  readonly bytes: number;
  readonly kept: number;
  dropOldest(): void;
}

export type JournalBudget = ReturnType<typeof createJournalBudget>;

export function createJournalBudget(limitBytes: number) {
  const journals = new Set<BudgetMember>();
  const usedBytes = (): number => {
    let bytes = 0;
    for (const journal of journals) bytes += journal.bytes;
    return bytes;
  };
  return {
    journals,
    usedBytes,
    /** Drops entries until the limit is met, but never the latest entry of `recording`, which has just recorded it. */
    enforce(recording: BudgetMember): void {
      while (usedBytes() > limitBytes) {
        let largest: BudgetMember | undefined;
        for (const one of journals) {
          const canDrop = one.kept > (one === recording ? 1 : 0);
          if (canDrop && one.bytes > (largest?.bytes ?? 0)) largest = one;
        }
        if (largest === undefined) return;
        largest.dropOldest();
      }
    },
  };
}
