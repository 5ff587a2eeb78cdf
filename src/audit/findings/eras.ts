/** Notes when a world's state was replaced or its clock changed mode. Pauses across such a change can't be judged. */

import type { ClockMode } from "../../base/clock.ts";
import type { JournalRing } from "../../journal/journal.ts";

/** A part of the journal during which neither happened. */
export interface Era {
  /** Sequence of its last request. */
  readonly last: number;
  /** Whether the world's clock stood still. */
  readonly isFrozen: boolean;
  /** How it ended: the clock changed mode, or a snapshot replaced the world's state. */
  readonly end: "clock" | "state";
}

/** The finished eras of a world. */
export interface Eras {
  /** Ends an era. Call it before the change. */
  finish(mode: ClockMode, end: Era["end"]): void;
  /** Oldest first. */
  finished(): readonly Era[];
  /** Forgets all eras: call it when the journal starts over. */
  clear(): void;
}

/** With more eras, those that the journal no longer holds are dropped. */
const MAX_UNCHECKED = 1024;

export function createEras(journal: JournalRing): Eras {
  let eras: Era[] = [];
  let checkAt = MAX_UNCHECKED;

  return {
    finish(mode, end) {
      const last = journal.total;
      const before = eras.at(-1);
      if (last === (before?.last ?? 0)) {
        // No requests came in between, so the two eras end as one.
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
