/** A moment of a world's past, and what it takes to rebuild it. */

import * as v from "valibot";
import type { ClockMode } from "../base/clock.ts";
import { parseInput } from "../base/input.ts";
import { type Schema, strictObject } from "../base/schema-builders.ts";
import type { JournalRing } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { WorldState } from "../world/accounts/state.ts";
import type { WorldChange } from "./world-change.ts";

/** A moment in a world's journal: right after an entry, or right before it. The number is the entry's `sequence`. */
export type Moment =
  /** 0 is the world's beginning. */
  | { readonly after: number; readonly before?: undefined }
  /** What was done by hand since the entry before has happened already, and the clock shows the time of the entry. */
  | { readonly before: number; readonly after?: undefined };

const ENTRY_EXPECTED = "must be the number of an entry of the journal";
export const entryNumber: Schema<number> = v.pipe(
  v.number(ENTRY_EXPECTED),
  v.safeInteger(ENTRY_EXPECTED),
);
const momentSchema = v.pipe(
  strictObject({ after: v.optional(entryNumber), before: v.optional(entryNumber) }),
  v.check(
    ({ after, before }) => (after === undefined) !== (before === undefined),
    "must be { after: N } or { before: N }, where N is the number of an entry of the journal",
  ),
);

/** @throws InputError unless it is a moment. */
export function parseMoment(moment: unknown): Moment {
  const { after, before = 0 } = parseInput(momentSchema, moment, "moment");
  return after === undefined ? { before } : { after };
}

/** A change by hand, and when it was made. */
export interface NotedChange {
  /** The entry after which it was made; 0 before the first. */
  readonly after: number;
  /** In milliseconds since 1970. */
  readonly atMs: number;
  readonly change: WorldChange;
}

/** A change by hand as others see it. */
export interface ShownChange {
  /** Of all changes since the beginning, from 1. */
  readonly number: number;
  /** The entry after which it was made; 0 before the first. */
  readonly after: number;
  /** In ISO 8601 on the world's clock. */
  readonly at: string;
  readonly change: WorldChange;
  /** Says the same in words. */
  readonly text: string;
}

/** A world's state to start from. */
export interface SavedWorld {
  /** The entries before it. */
  readonly sequence: number;
  /** The changes before it, of all that were noted. */
  readonly changeCount: number;
  /** Whether some of these changes were made after its last entry. */
  readonly hasChanges: boolean;
  /** The world as its settings make it: nothing in it depends on the assumptions yet. */
  readonly isStart: boolean;
  /** Whether doing everything again from the saved state before it leads to it. */
  readonly follows: boolean;
  /** Undefined if the state was replaced here by one with too many events to copy. */
  readonly copy: SavedCopy | undefined;
}

export interface SavedCopy {
  readonly state: WorldState;
  /** Estimated size. */
  readonly bytes: number;
}

/** One thing to do again, in order. */
export type HistoryStep =
  | {
      readonly kind: "request";
      readonly sequence: number;
      readonly record: JournalRecord;
      /** The moment is right after the first time that the service carried out a duplicated request. */
      readonly isFirstOnly?: boolean;
    }
  | { readonly kind: "change"; readonly noted: NotedChange };

/** Whether this is the first of the two entries of a duplicated request. */
export function isFirstOfTwo({ fault }: JournalRecord): boolean {
  return fault?.verdict.kind === "duplicate" && fault.application === 1;
}

/** How to rebuild a moment: a state to start from, what to do then, and the clock at the end. */
export interface Script {
  readonly from: SavedWorld & { readonly copy: SavedCopy };
  readonly steps: readonly HistoryStep[];
  readonly untilMs: number | undefined;
  /** The mode of the world's clock at that moment. */
  readonly mode: ClockMode;
}

export interface History {
  /** The changes by hand since the last entry that the journal dropped. Of very many, only the latest. */
  changes(): readonly ShownChange[];
  /** How many changes were made since the beginning, including those that {@link changes} no longer has. */
  readonly changeCount: number;
  /** Saves the state if it is time. Call it before each request, and before the first change. */
  saveIfDue(): void;
  /** The earliest entry after which the world can be rebuilt; 0 for its beginning. Undefined if there is none. */
  readonly first: number | undefined;
  /** Why there is none; undefined if there is one. */
  readonly whyNone: string | undefined;
  /**
   * How to rebuild a moment, by default from the latest saved state before it: that is quickest.
   *
   * @throws InputError that says why this moment can't be rebuilt.
   */
  scriptOf(moment: Moment | "now", start?: "latest" | "earliest"): Script;
}

/** The requests from the first to the last, and the changes before, between and after them. */
export function stepsOf(
  { recordAt }: Pick<JournalRing, "recordAt">,
  { first, last }: { readonly first: number; readonly last: number },
  changes: readonly NotedChange[],
): readonly HistoryStep[] {
  const steps: HistoryStep[] = [];
  let next = 0;
  for (let sequence = first - 1; sequence <= last; sequence += 1) {
    const record = recordAt(sequence);
    if (sequence >= first && record !== undefined) {
      const isFirstOnly = sequence === last && isFirstOfTwo(record);
      steps.push({ kind: "request", sequence, record, isFirstOnly });
    }
    for (; changes[next]?.after === sequence; next += 1) {
      const noted = changes[next];
      if (noted !== undefined) steps.push({ kind: "change", noted });
    }
  }
  return steps;
}

/** The mode of the clock after these steps. */
export function modeAfter({ state }: SavedCopy, steps: readonly HistoryStep[]): ClockMode {
  const changes = steps.flatMap((step) => (step.kind === "change" ? step.noted.change : []));
  const latest = changes.findLast(({ kind }) => kind === "set-clock");
  return latest?.kind === "set-clock" ? latest.mode : state.clock.mode;
}
