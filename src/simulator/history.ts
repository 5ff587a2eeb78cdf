/**
 * Rebuilds a world as it was at an entry of the journal. It saves the world's state now and then, notes what is done to it by
 * hand, and sends the journal's requests again from the latest saved state before that entry.
 */

import { formatInstant } from "../base/calendar.ts";
import { InputError } from "../base/input.ts";
import { addObserver } from "../base/observers.ts";
import type { JournalRing } from "../journal/journal.ts";
import {
  type History,
  type HistoryStep,
  isFirstOfTwo,
  type Moment,
  modeAfter,
  type NotedChange,
  type SavedCopy,
  type SavedWorld,
  type Script,
  type ShownChange,
} from "./moment.ts";
import { checkedEntry, whyNot, whyTooEarly } from "./why-not-rebuilt.ts";
import { changeInWords, charactersOf, type WorldChange } from "./world-change.ts";

/** What a history needs of its simulator. */
export interface HistorySource {
  readonly journal: JournalRing;
  now(): number;
  /** Most bytes of a copy. */
  readonly maxBytes: number;
  /** A copy of the state; undefined if it is larger. */
  save(): SavedCopy | undefined;
}

/** Requests between two saved states while the journal drops nothing, and the most while it does. */
const SAVE_EVERY = 500;
/** How often to look whether it is time; the fewest requests between two saved states. */
const LOOK_EVERY = 16;
/** So many requests may pass before the largest copy, so that copying takes a small part of the time. */
const REQUESTS_PER_LARGEST_COPY = 10_000;
/** Most characters of the changes, and most saved states of the largest size. Of more, the older half is dropped. */
const MAX_CHANGE_CHARACTERS: number = 4 * 1024 * 1024;
const MAX_LARGEST_COPIES = 32;

/** A class for the same reason as the simulator: `saveIfDue` is called by the million. */
export class WorldHistory implements History {
  readonly #source: HistorySource;
  readonly #observers = new Set<() => void>();
  /** Oldest first. */
  #saved: SavedWorld[] = [];
  #changes: NotedChange[] = [];
  #forgottenChanges = 0;
  #characters = 0;
  /** The number of requests at which to look next whether to save the state. 0: save it before the next request. */
  #lookAt = 0;
  #isReplaced = false;
  /** The entry after which the latest change was made; undefined if there was none. */
  #changedAfter: number | undefined;
  /** Whether the state was too large to be copied when it was last due. */
  #isTooLarge = false;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  /** Begins with a world as its settings make it. */
  start(): void {
    this.#saved = [];
    this.#changes = [];
    this.#forgottenChanges = 0;
    this.#characters = 0;
    this.#isReplaced = false;
    this.#changedAfter = undefined;
    const { journal } = this.#source;
    if (journal.isOff) {
      this.#lookAt = Number.POSITIVE_INFINITY;
      return;
    }
    this.#save(true);
    this.#lookAt = journal.total + LOOK_EVERY;
    this.#tell();
  }

  /** The state was replaced: what came before doesn't lead to it. It is saved before anything happens to it. */
  replaced(by: "restore" | "fork"): void {
    if (by === "restore") this.note({ kind: "replace", by });
    this.#isReplaced = true;
    this.#lookAt = 0;
  }

  /** Takes over the history of another world, whose state and entries follow this one's. */
  adopt(other: WorldHistory): void {
    this.note({ kind: "replace", by: "play" });
    const { total } = this.#source.journal;
    const shift = this.changeCount - other.#forgottenChanges;
    // Not push(...): as arguments, hundreds of thousands don't fit on the stack.
    this.#changes = [...this.#changes, ...other.#changes];
    this.#characters += other.#characters;
    const followed = other.#saved.map((one) => ({
      ...one,
      changeCount: one.changeCount + shift,
      hasChanges: one.hasChanges || one.sequence === total,
    }));
    this.#saved = [...this.#saved, ...followed];
    this.#isReplaced = other.#isReplaced;
    this.#changedAfter = other.#changedAfter ?? this.#changedAfter;
    this.#isTooLarge = other.#isTooLarge;
    this.#lookAt = other.#lookAt;
    this.#tell();
  }

  /** `atMs`: the time that the change depends on, where a running clock may show a later one already. */
  note(change: WorldChange, atMs: number = this.#source.now()): void {
    const { journal } = this.#source;
    if (journal.isOff) return;
    this.#changes.push({ after: journal.total, atMs, change });
    this.#changedAfter = journal.total;
    this.#characters += charactersOf(change);
    if (this.#isFull()) this.#lookAt = 0;
    this.#tell();
  }

  saveIfDue(): void {
    const { journal } = this.#source;
    if (journal.total >= this.#lookAt || journal.kept === 0) this.#look();
  }

  /** Estimated bytes of the saved states and the noted changes. */
  get bytes(): number {
    return this.#characters + this.#copyBytes;
  }

  get #copyBytes(): number {
    return this.#saved.reduce((sum, { copy }) => sum + (copy?.bytes ?? 0), 0);
  }

  get canThin(): boolean {
    return this.#saved.slice(1).some(({ follows }) => follows);
  }

  thin(): void {
    this.#saved = this.#saved.filter(({ follows }, index) => index === 0 || !follows);
  }

  get first(): number | undefined {
    this.saveIfDue();
    const { journal } = this.#source;
    const dropped = journal.total - journal.kept;
    const usable = this.#saved.find((one) => one.copy !== undefined && one.sequence >= dropped);
    if (usable === undefined) return undefined;
    const first = usable.hasChanges ? usable.sequence + 1 : usable.sequence;
    return first <= journal.total ? first : undefined;
  }

  get whyNone(): string | undefined {
    if (this.#source.journal.isOff) return whyNot.journalOff;
    if (this.first !== undefined) return undefined;
    return this.#isTooLarge ? whyNot.worldTooLarge : whyNot.nothingSaved;
  }

  changes(): readonly ShownChange[] {
    return this.#changes.map(({ after, atMs, change }, index) => {
      const number = this.#forgottenChanges + index + 1;
      return { number, after, at: formatInstant(atMs), change, text: changeInWords(change) };
    });
  }

  get changeCount(): number {
    return this.#forgottenChanges + this.#changes.length;
  }

  observe(observer: () => void): () => void {
    return addObserver(this.#observers, observer);
  }

  scriptOf(moment: Moment | "now", start: "latest" | "earliest" = "latest"): Script {
    this.saveIfDue();
    const { journal, now } = this.#source;
    const isNow = moment === "now";
    const isAfter = !isNow && moment.after !== undefined;
    const field = isNow ? "now" : isAfter ? "after" : "before";
    const entry = isNow
      ? journal.total + 1
      : checkedEntry(field, moment.after ?? moment.before, journal.total);
    const last = isAfter ? entry : entry - 1;
    const latest = this.#startFor(last, isAfter);
    const from = start === "latest" ? latest : this.#earliestBefore(latest);
    const why = this.#whyUnusable(from, last);
    if (!isCopied(from) || why !== undefined)
      throw new InputError(field, why ?? whyNot.replacedByTooLarge, "not-found");
    const changes = this.#changesFrom(from).filter(({ after }) => !isAfter || after < last);
    const untilMs = isNow ? now() : isAfter ? undefined : journal.recordAt(entry)?.nowMs;
    return this.#script(from, last, changes, untilMs);
  }

  scriptsToNow(): [Script, ...Script[]] {
    const scripts: [Script, ...Script[]] = [this.scriptOf("now", "earliest")];
    for (;;) {
      const earlier = this.#scriptTo(scripts[0].from);
      if (earlier === undefined) return scripts;
      scripts.unshift(earlier);
    }
  }

  /** What was done up to where the state was replaced by this one; undefined if that can't be done again. */
  #scriptTo(end: SavedWorld): Script | undefined {
    const from = this.#earliestBefore(this.#saved[this.#saved.indexOf(end) - 1]);
    if (!isCopied(from) || this.#whyUnusable(from, end.sequence) !== undefined) return undefined;
    const changes = this.#changesFrom(from).slice(0, end.changeCount - from.changeCount);
    return this.#script(from, end.sequence, changes, undefined);
  }

  #script(
    from: CopiedWorld,
    last: number,
    changes: readonly NotedChange[],
    untilMs: number | undefined,
  ): Script {
    const steps = this.#steps(from, last, changes);
    return { from, steps, untilMs, mode: modeAfter(from.copy, steps) };
  }

  /** The latest saved state that leads to a moment. One saved after later changes doesn't lead to the moment after its entry. */
  #startFor(last: number, isAfter: boolean): SavedWorld | undefined {
    return this.#saved.findLast(
      ({ sequence, hasChanges }) =>
        sequence <= last && !(isAfter && hasChanges && sequence === last),
    );
  }

  /** The earliest saved state that leads to this one. */
  #earliestBefore(latest: SavedWorld | undefined): SavedWorld | undefined {
    const { journal } = this.#source;
    const dropped = journal.total - journal.kept;
    let earliest = latest;
    const before = latest === undefined ? [] : this.#saved.slice(0, this.#saved.indexOf(latest));
    for (const one of before.reverse()) {
      const leadsThere = earliest?.follows === true && one.sequence >= dropped;
      if (!leadsThere || one.copy === undefined) break;
      earliest = one;
    }
    return earliest;
  }

  #whyUnusable(from: SavedWorld | undefined, last: number): string | undefined {
    const { journal } = this.#source;
    if (from !== undefined && from.copy === undefined) return whyNot.replacedByTooLarge;
    if (from !== undefined && (last === from.sequence || journal.recordAt(from.sequence + 1)))
      return undefined;
    return whyTooEarly(this, journal.total);
  }

  #changesFrom({ changeCount }: SavedWorld): NotedChange[] {
    return this.#changes.slice(changeCount - this.#forgottenChanges);
  }

  /** The requests up to the last one, each followed by the changes after it. */
  #steps(from: SavedWorld, last: number, changes: readonly NotedChange[]): HistoryStep[] {
    const { journal } = this.#source;
    const steps: HistoryStep[] = [];
    let next = 0;
    for (let sequence = from.sequence; sequence <= last; sequence += 1) {
      const record = journal.recordAt(sequence);
      if (sequence > from.sequence && record !== undefined) {
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

  /** `share`: of what may be kept. */
  #isFull(share = 1): boolean {
    const { maxBytes } = this.#source;
    return (
      this.#characters > share * MAX_CHANGE_CHARACTERS ||
      this.#copyBytes > share * MAX_LARGEST_COPIES * maxBytes
    );
  }

  /** Saves the state if it is time. */
  #look(): void {
    const { journal } = this.#source;
    if (journal.isOff) {
      this.#lookAt = Number.POSITIVE_INFINITY;
      return;
    }
    const { total, kept } = journal;
    const latest = this.#saved.at(-1)?.sequence;
    const isDue = this.#lookAt === 0 || kept === 0 || total - (latest ?? 0) >= this.#interval();
    if (isDue && (this.#isReplaced || this.#isFull() || total !== latest)) this.#save(false);
    this.#forget(total - kept);
    this.#lookAt = total + LOOK_EVERY;
  }

  #interval(): number {
    const { journal, maxBytes } = this.#source;
    const { total, kept } = journal;
    if (kept === total) return SAVE_EVERY;
    const often = Math.min(Math.max(kept / 8, LOOK_EVERY), SAVE_EVERY);
    const share = (this.#saved.at(-1)?.copy?.bytes ?? 0) / maxBytes;
    return Math.max(often, Math.min(share * REQUESTS_PER_LARGEST_COPY, kept / 2));
  }

  #save(isStart: boolean): void {
    const { journal, save } = this.#source;
    const { changeCount } = this;
    const copy = save();
    const follows = !(isStart || this.#isReplaced);
    const sequence = journal.total;
    const hasChanges = this.#changedAfter === sequence;
    if (copy !== undefined || !follows || this.#isFull())
      this.#saved.push({ sequence, changeCount, hasChanges, isStart, follows, copy });
    this.#isReplaced = false;
    this.#isTooLarge = copy === undefined;
  }

  /** Drops what no entry of the journal needs, and more if it is too much. `dropped`: the last entry that the journal dropped. */
  #forget(dropped: number): void {
    this.#saved = this.#saved.filter(({ sequence }) => sequence >= dropped);
    if (this.#isFull()) {
      while (this.#saved.length > 1 && this.#isFull(0.5)) {
        this.#saved.shift();
        this.#forgetChanges(this.#changesBeforeSaved);
      }
    }
    const before = this.#changes.slice(0, this.#changesBeforeSaved);
    // Those between entries that the journal keeps are still listed.
    const kept = this.#isFull() ? -1 : before.findIndex(({ after }) => after >= dropped);
    this.#forgetChanges(kept === -1 ? before.length : kept);
  }

  /** How many of the changes the first saved state has already. */
  get #changesBeforeSaved(): number {
    return (this.#saved[0]?.changeCount ?? this.changeCount) - this.#forgottenChanges;
  }

  #forgetChanges(count: number): void {
    for (const { change } of this.#changes.splice(0, count))
      this.#characters -= charactersOf(change);
    this.#forgottenChanges += count;
  }

  #tell(): void {
    for (const observer of this.#observers) observer();
  }
}

type CopiedWorld = Script["from"];

function isCopied(saved: SavedWorld | undefined): saved is CopiedWorld {
  return saved?.copy !== undefined;
}
