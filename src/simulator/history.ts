/**
 * Rebuilds a world as it was at an entry of the journal. It saves the world's state now and then, notes what is done to it by
 * hand, and sends the journal's requests again from the latest saved state before that entry.
 */

import { InputError } from "../base/input.ts";
import type { JournalRing } from "../journal/journal.ts";
import {
  type History,
  type Moment,
  modeAfter,
  type NotedChange,
  type SavedCopy,
  type SavedWorld,
  type Script,
  type ShownChange,
  stepsOf,
} from "./moment.ts";
import { NotedChanges } from "./noted-changes.ts";
import { isCopied, SavedWorlds } from "./saved-worlds.ts";
import { checkedEntry, whyNot, whyTooEarly } from "./why-not-rebuilt.ts";
import type { WorldChange } from "./world-change.ts";

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
const MAX_CHANGE_CHARACTERS = 4 * 1024 * 1024;
const MAX_LARGEST_COPIES = 32;

/** A class for the same reason as the simulator: `saveIfDue` is called by the million. */
export class WorldHistory implements History {
  readonly #source: HistorySource;
  #saved = new SavedWorlds();
  #changes = new NotedChanges();
  /** The number of requests at which to look next whether to save the state. 0: save it before the next request. */
  #lookAt = 0;
  #isReplaced = false;
  /** The entry after which the latest change was made; undefined if there was none. */
  #changedAfter: number | undefined;
  /** The characters of all changes until the state was last saved. */
  #charactersSaved = 0;
  /** Whether the state was too large to be copied when it was last due. */
  #isTooLarge = false;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  /** Begins with a world as its settings make it. */
  start(): void {
    this.#saved = new SavedWorlds();
    this.#changes = new NotedChanges();
    this.#isReplaced = false;
    this.#changedAfter = undefined;
    const { journal } = this.#source;
    if (journal.isOff) {
      this.#lookAt = Number.POSITIVE_INFINITY;
      return;
    }
    this.#save(true);
    this.#lookAt = journal.total + LOOK_EVERY;
  }

  /** The state was replaced: what came before doesn't lead to it. Call `saveIfDue` before anything is done to it. */
  replaced(by: "restore" | "play" | "fork"): void {
    this.#isReplaced = true;
    this.#lookAt = 0;
    if (by !== "fork") this.note({ kind: "replace", by });
  }

  /** `atMs`: the time that the change depends on, where a running clock may show a later one already. */
  note(change: WorldChange, atMs: number = this.#source.now()): void {
    const { journal } = this.#source;
    if (journal.isOff) return;
    this.#changes.add({ after: journal.total, atMs, change });
    this.#changedAfter = journal.total;
    if (this.#isDueByChanges) {
      this.#lookAt = 0;
      this.#look();
    }
  }

  saveIfDue(): void {
    const { journal } = this.#source;
    if (journal.total >= this.#lookAt || journal.kept === 0) this.#look();
  }

  get first(): number | undefined {
    this.saveIfDue();
    const { journal } = this.#source;
    const usable = this.#saved.all.find((one) => isCopied(one) && one.sequence >= this.#dropped);
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
    return this.#changes.shown();
  }

  get changeCount(): number {
    return this.#changes.count;
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
    const latest = this.#saved.leadingTo(last, isAfter);
    const from = start === "latest" ? latest : this.#saved.earliestBefore(latest, this.#dropped);
    const why = this.#whyUnusable(from);
    if (!isCopied(from) || why !== undefined)
      throw new InputError(field, why ?? whyNot.replacedByTooLarge, "not-found");
    const since = this.#changes.slice(from.changeCount);
    const changes = isAfter ? since.filter(({ after }) => after < last) : since;
    const untilMs = isNow ? now() : isAfter ? undefined : journal.recordAt(entry)?.nowMs;
    return this.#script(from, last, changes, untilMs);
  }

  #script(
    from: Script["from"],
    last: number,
    changes: readonly NotedChange[],
    untilMs: number | undefined,
  ): Script {
    const steps = stepsOf(this.#source.journal, { first: from.sequence + 1, last }, changes);
    return { from, steps, untilMs, mode: modeAfter(from.copy, steps) };
  }

  #whyUnusable(from: SavedWorld | undefined): string | undefined {
    if (from === undefined || from.sequence < this.#dropped)
      return whyTooEarly(this, this.#source.journal.total);
    return isCopied(from) ? undefined : whyNot.replacedByTooLarge;
  }

  /** `share`: of what may be kept. States that follow from others can be thinned out, and don't count. */
  #isFull(share = 1): boolean {
    const { maxBytes } = this.#source;
    return (
      this.#changes.characters > share * MAX_CHANGE_CHARACTERS ||
      this.#saved.bytesOfReplaced > share * MAX_LARGEST_COPIES * maxBytes
    );
  }

  /** So often that the older half of the changes can be dropped at one of the saved states. */
  get #isDueByChanges(): boolean {
    return this.#changes.charactersSinceStart - this.#charactersSaved > MAX_CHANGE_CHARACTERS / 4;
  }

  /** Saves the state if it is time. */
  #look(): void {
    const { journal } = this.#source;
    if (journal.isOff) {
      this.#lookAt = Number.POSITIVE_INFINITY;
      return;
    }
    const { total, kept } = journal;
    const latest = this.#saved.last?.sequence;
    const isDue = this.#lookAt === 0 || kept === 0 || total - (latest ?? 0) >= this.#interval();
    if (isDue && (this.#isReplaced || this.#isDueByChanges || total !== latest)) this.#save(false);
    this.#forget();
    this.#lookAt = total + LOOK_EVERY;
  }

  #interval(): number {
    const { journal, maxBytes } = this.#source;
    const { total, kept } = journal;
    if (kept === total) return SAVE_EVERY;
    const often = Math.min(Math.max(kept / 8, LOOK_EVERY), SAVE_EVERY);
    const share = (this.#saved.last?.copy?.bytes ?? 0) / maxBytes;
    return Math.max(often, Math.min(share * REQUESTS_PER_LARGEST_COPY, kept / 2));
  }

  #save(isStart: boolean): void {
    const { journal, save } = this.#source;
    const { changeCount } = this;
    const copy = save();
    const follows = !(isStart || this.#isReplaced);
    const sequence = journal.total;
    const hasChanges = this.#changedAfter === sequence;
    if (copy !== undefined || !follows)
      this.#saved.append([{ sequence, changeCount, hasChanges, isStart, follows, copy }]);
    // Without a copy, nothing takes the place of the changes.
    else if (this.#isFull()) this.#saved.clear();
    this.#charactersSaved = this.#changes.charactersSinceStart;
    this.#isReplaced = false;
    this.#isTooLarge = copy === undefined;
  }

  /** Drops what no entry of the journal needs, and more if it is too much. */
  #forget(): void {
    this.#saved.dropBefore(this.#dropped);
    const isFull = this.#isFull();
    while (isFull && this.#saved.count > 1 && this.#isFull(0.6)) {
      this.#saved.dropFirst();
      this.#changes.forget(this.#firstNeeded);
    }
    // Those between entries that the journal keeps are still listed.
    this.#changes.forget(this.#firstNeeded, ({ after }) => !isFull && after >= this.#dropped);
  }

  /** The changes before this one are in the first saved state already. */
  get #firstNeeded(): number {
    return this.#saved.first?.changeCount ?? this.changeCount;
  }

  /** The last entry that the journal dropped. */
  get #dropped(): number {
    const { journal } = this.#source;
    return journal.total - journal.kept;
  }
}
