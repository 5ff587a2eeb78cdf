/**
 * The past of a world: copies of its state that are taken now and then, and the log of what happened to it. A moment is rebuilt
 * from the nearest copy before it, by playing the log again from there.
 */

import * as v from "valibot";
import type { ClockMode } from "../base/clock.ts";
import { InputError, parseInput } from "../base/input.ts";
import { type Schema, strictObject } from "../base/schemas.ts";
import type { Log, LogItem } from "../journal/log.ts";
import type { WorldState } from "../world/accounts/state.ts";
import { copiedStateOf, estimateBytes, type RunningWorld } from "./running-world.ts";

/**
 * A moment in a world's journal: right after an entry, or right before it. The number is the entry's `sequence`. A duplicated
 * request has two entries; both mean the same moments.
 */
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

/** How to rebuild a moment: a state to start from, what to do then, and the clock at the end. */
export interface Script {
  /** Never changes: it may be used again. */
  readonly from: WorldState;
  /** The last entry before that state. */
  readonly sequence: number;
  readonly items: readonly LogItem[];
  /** The instant of the moment, if it is later than that of the last item. */
  readonly untilMs: number | undefined;
  /** The mode of the world's clock at that moment. */
  readonly mode: ClockMode;
}

interface Copy extends Pick<Script, "from" | "sequence"> {
  /** Its position in the log. */
  readonly position: number;
  readonly bytes: number;
}

/** Most bytes of a copy, by estimate. All copies of a world together may have six times as many. */
const MAX_COPY_BYTES = 4 * 1024 * 1024;

export class Past {
  readonly #log: Log;
  readonly #running: () => RunningWorld;
  readonly #maxBytes: number;
  #copies: Copy[] = [];
  /** The position in the log at which to take the next copy. */
  #dueAt = 0;
  #isTooLarge = false;
  /** The estimated size of all copies. */
  bytes = 0;

  constructor(log: Log, running: () => RunningWorld, maxBytes = MAX_COPY_BYTES) {
    this.#log = log;
    this.#running = running;
    this.#maxBytes = maxBytes;
  }

  /** Begins here: nothing before can be rebuilt. */
  restart(): void {
    this.#copies = [];
    this.takeCopy();
  }

  /** Call it before each request. After the journal was cleared, a copy is due, too. */
  takeCopyIfDue(): void {
    if (this.#log.end >= this.#dueAt || this.#log.kept === 0) this.takeCopy();
  }

  /** Call it after the state was replaced, which can't be played again. */
  takeCopy(): void {
    const { end: position, kept, total: sequence, capacity } = this.#log;
    if (capacity === 0 || this.#copies.at(-1)?.position === position) return;
    const bytes = estimateBytes(this.#running());
    this.#isTooLarge = bytes > this.#maxBytes;
    if (!this.#isTooLarge)
      this.#copies.push({ position, sequence, bytes, from: copiedStateOf(this.#running()) });
    this.forget();
    // Each fifth of the journal, but not so often that copying takes most of the time.
    const fifth = (kept === sequence ? capacity : kept) / 5;
    this.#dueAt = position + Math.ceil(Math.max(fifth, bytes / 8192));
  }

  /** Drops the copies that lead nowhere since the log has dropped what came after them, and the oldest above the limit. */
  forget(): void {
    const { begin } = this.#log;
    this.#copies = this.#copies.filter(({ position }) => position >= begin);
    this.bytes = this.#copies.reduce((sum, copy) => sum + copy.bytes, 0);
    while (this.bytes > 6 * this.#maxBytes) this.bytes -= this.#copies.shift()?.bytes ?? 0;
  }

  /** The earliest entry after which the world can be rebuilt; 0 for its beginning. Undefined if there is none. */
  get first(): number | undefined {
    this.takeCopyIfDue();
    this.forget();
    const [copy] = this.#copies;
    if (copy === undefined) return undefined;
    const { position, sequence } = copy;
    // Later, if something was done by hand between that entry and the copy.
    const first = position === this.#positionAfter(sequence) ? sequence : sequence + 1;
    return first <= this.#log.total ? first : undefined;
  }

  /** Why there is none; undefined if there is one. */
  get whyNone(): string | undefined {
    if (this.#log.capacity === 0) return "the journal is off (journalEntries is 0)";
    if (this.first !== undefined) return undefined;
    if (!this.#isTooLarge) return "what it is rebuilt from was dropped";
    return "the world has more than 4 MiB of state, too much to copy, and the journal no longer reaches back to an earlier copy";
  }

  /**
   * How to rebuild a moment, by default from the latest copy before it: that is quickest.
   *
   * @throws InputError that says why this moment can't be rebuilt.
   */
  scriptOf(moment: Moment | "now", start: "latest" | "earliest" = "latest"): Script {
    this.takeCopyIfDue();
    const log = this.#log;
    const { field, position, untilMs } = this.#placeOf(moment);
    // A state that was replaced doesn't follow from what was before.
    const replaced = log
      .items(log.begin, position)
      .findLast((item) => item.kind === "change" && item.change.kind === "replace");
    const earliest = replaced === undefined ? log.begin : replaced.position + 1;
    const usable = this.#copies.filter(
      (copy) => copy.position >= earliest && copy.position <= position,
    );
    const copy = start === "latest" ? usable.at(-1) : usable[0];
    if (copy === undefined) throw new InputError(field, this.#whyNot(position), "not-found");
    const { from, sequence } = copy;
    const items = log.items(copy.position, position);
    return { from, sequence, items, untilMs, mode: modeAfter(from, items) };
  }

  /** `position`: negative if the log no longer has the moment. */
  #placeOf(moment: Moment | "now"): Pick<Script, "untilMs"> & { field: string; position: number } {
    const log = this.#log;
    if (moment === "now")
      return { field: "now", position: log.end, untilMs: this.#running().clock.now() };
    if (moment.after !== undefined) {
      const after = checkedEntry("after", 0, moment.after, log.total);
      const isHalf = log.exchange(after + 1)?.record.fault?.application === 2;
      const position = this.#positionAfter(isHalf ? after + 1 : after);
      return { field: "after", position, untilMs: undefined };
    }
    const before = checkedEntry("before", 1, moment.before, log.total);
    const record = log.exchange(before)?.record;
    const first = log.exchange(record?.fault?.application === 2 ? before - 1 : before);
    return { field: "before", position: first?.position ?? -1, untilMs: record?.nowMs };
  }

  #positionAfter(sequence: number): number {
    const log = this.#log;
    if (sequence === log.total - log.kept) return log.begin;
    return (log.exchange(sequence)?.position ?? -2) + 1;
  }

  #whyNot(position: number): string {
    const { first, whyNone } = this;
    if (whyNone !== undefined) return `can't be rebuilt: ${whyNone}`;
    if (this.#copies.some((copy) => copy.position <= position))
      return "can't be rebuilt: before it, the state was replaced by one of more than 4 MiB, too much to copy";
    return `is too early: the first moment that can still be rebuilt is right after entry ${first}`;
  }
}

function modeAfter({ clock }: WorldState, items: readonly LogItem[]): ClockMode {
  const changes = items.flatMap((item) => (item.kind === "change" ? item.change : []));
  const latest = changes.findLast(({ kind }) => kind === "set-clock");
  return latest?.kind === "set-clock" ? latest.mode : clock.mode;
}

/** @throws InputError unless the journal has counted this entry. */
function checkedEntry(field: string, lowest: number, entry: number, total: number): number {
  if (Number.isSafeInteger(entry) && entry >= lowest && entry <= total) return entry;
  const range = total < lowest ? "which has none yet" : `from ${lowest} to ${total}`;
  throw new InputError(field, `${ENTRY_EXPECTED}, ${range}`, "not-found");
}
