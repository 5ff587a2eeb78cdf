/** Where a world's state was replaced under a running client, or its clock changed its way: pauses across are no pauses. */

import type { ClockMode } from "../../base/clock.ts";
import type { JournalRing } from "../../journal/journal.ts";

/** A stretch of the journal in which neither happened. */
export interface Era {
  /** Sequence of its last request. */
  readonly last: number;
  /** Whether the world's clock stood still. */
  readonly isFrozen: boolean;
  /** How it ended: the clock changed its way, or a snapshot took the place of the world's state. */
  readonly end: "clock" | "state";
}

/** The eras of a world that are over. */
export interface Eras {
  /** Ends an era. To be called before things change. */
  finish(mode: ClockMode, end: Era["end"]): void;
  /** Oldest first. */
  finished(): readonly Era[];
  /** Forgets all, as where the journal starts over. */
  clear(): void;
}

/** How many eras there may be before those are looked for that the journal has forgotten. */
const MAX_UNCHECKED = 1024;

export function createEras(journal: JournalRing): Eras {
  let eras: Era[] = [];
  let checkAt = MAX_UNCHECKED;

  return {
    finish(mode, end) {
      const last = journal.total;
      const before = eras.at(-1);
      if (last === (before?.last ?? 0)) {
        // Nothing was asked meanwhile: the two end as one.
        if (before !== undefined && end === "state") eras[eras.length - 1] = { ...before, end };
        return;
      }
      eras.push({ last, isFrozen: mode === "frozen", end });
      if (eras.length < checkAt) return;
      const { first } = journal.records();
      eras = eras.filter((era) => era.last >= first);
      checkAt = 2 * eras.length + MAX_UNCHECKED;
    },
    finished: () => eras,
    clear() {
      eras = [];
      checkAt = MAX_UNCHECKED;
    },
  };
}
