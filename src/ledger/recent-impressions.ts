/**
 * Which impressions of one publisher were recorded within the de-duplication window, by a 64-bit fingerprint. What the
 * window has passed is forgotten in whole generations, so memory follows the last two windows, not the history. A window
 * may be infinite: then nothing is ever forgotten, and there is one generation.
 */

import { fromBase64, toBase64 } from "../base/text.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** The impressions that fingerprints are kept for. */
interface Rows {
  /** How many there are. */
  readonly count: number;
  /** When one was recorded, in milliseconds since 1970. */
  recordedMs(row: number): number;
}

/** A generation as JSON: base 64 of little-endian `[a, b, row + 1]` triples, 0 0 0 where a slot is free. */
export interface SavedGeneration {
  readonly since: number;
  readonly used: number;
  readonly slots: string;
}

export interface SavedRecent {
  readonly latest: number;
  readonly current: SavedGeneration;
  readonly previous: SavedGeneration;
}

const FIRST_SLOTS = 16;

/** An open-addressing table of (fingerprint → row). */
class Generation {
  #slots: Int32Array<ArrayBuffer>;
  #mask: number;
  #used = 0;
  /** When its first entry was made, in milliseconds since 1970. */
  readonly since: number;

  /** `slots`: a power of two, or none for a generation that nothing is put into. */
  constructor(since: number, slots = 0) {
    this.since = since;
    this.#slots = new Int32Array(slots * 3);
    this.#mask = slots - 1;
  }

  get used(): number {
    return this.#used;
  }

  find(wanted: Fingerprint): number | undefined {
    return this.rowAt(this.placeOf(wanted));
  }

  /** Where the entry is, or the free slot where it belongs. */
  placeOf(wanted: Fingerprint): number {
    // Without slots a search would not end.
    return this.#mask < 0 ? 0 : placeIn(this.#slots, this.#mask, wanted);
  }

  rowAt(place: number): number | undefined {
    const stored = (this.#slots[place + 2] ?? 0) >>> 0;
    return stored === 0 ? undefined : stored - 1;
  }

  /** `place`: the free slot of an entry that isn't there. */
  put(place: number, entry: Fingerprint, row: number): void {
    const slots = this.#slots;
    slots[place] = entry.a;
    slots[place + 1] = entry.b;
    slots[place + 2] = row + 1;
    this.#used += 1;
    // Two thirds full at most, so that searches are short.
    if (this.#used * 3 > (this.#mask + 1) * 2) this.#grow();
  }

  copy(): Generation {
    const copied = new Generation(this.since);
    copied.#take(this.#slots.slice(), this.#used);
    return copied;
  }

  save(): SavedGeneration {
    const bytes = new Uint8Array(this.#slots.buffer);
    return { since: this.since, used: this.#used, slots: toBase64(bytes) };
  }

  /** `rows`: how many impressions there are to refer to. @throws Error for a table that can't be searched. */
  static load(saved: SavedGeneration, rows: number): Generation {
    const slots = new Int32Array(fromBase64(saved.slots).buffer);
    const count = slots.length / 3;
    // A search ends at a free slot: there has to be one.
    const fits = saved.used < count || (saved.used === 0 && count === 0);
    if (!Number.isInteger(count) || (count & (count - 1)) !== 0 || !fits) {
      throw new Error("A de-duplication table has a size that it can't have.");
    }
    let used = 0;
    for (let at = 0; at < slots.length; at += 3) if (slots[at + 2] !== 0) used += 1;
    if (used !== saved.used)
      throw new Error("A de-duplication table has another number of entries.");
    for (let at = 0; at < slots.length; at += 3) {
      const stored = (slots[at + 2] ?? 0) >>> 0;
      const entry = { a: slots[at] ?? 0, b: slots[at + 1] ?? 0 };
      if (stored !== 0 && (stored > rows || placeIn(slots, count - 1, entry) !== at)) {
        throw new Error("A de-duplication table has an entry where none can be.");
      }
    }
    const generation = new Generation(saved.since);
    generation.#take(slots, used);
    return generation;
  }

  #grow(): void {
    const old = this.#slots;
    const grown = new Int32Array(old.length * 2);
    const mask = grown.length / 3 - 1;
    for (let at = 0; at < old.length; at += 3) {
      const stored = old[at + 2] ?? 0;
      if (stored === 0) continue;
      const entry = { a: old[at] ?? 0, b: old[at + 1] ?? 0 };
      const place = placeIn(grown, mask, entry);
      grown[place] = entry.a;
      grown[place + 1] = entry.b;
      grown[place + 2] = stored;
    }
    this.#take(grown, this.#used);
  }

  #take(slots: Int32Array<ArrayBuffer>, used: number): void {
    this.#slots = slots;
    this.#mask = slots.length / 3 - 1;
    this.#used = used;
  }
}

/** `mask`: how many slots there are, less one. */
function placeIn(slots: Int32Array, mask: number, wanted: Fingerprint): number {
  const { a, b } = wanted;
  let slot = a & mask;
  for (;;) {
    const at = slot * 3;
    if (slots[at + 2] === 0 || (slots[at] === a && slots[at + 1] === b)) return at;
    slot = (slot + 1) & mask;
  }
}

export class RecentImpressions {
  #previous = new Generation(0);
  #current = new Generation(0);
  #latestMs = 0;

  /**
   * The row with this fingerprint that was recorded less than `windowMs` before `nowMs`. Undefined where there is none: the
   * fingerprint is then kept for the row that is recorded next.
   */
  originalOrKeep(
    wanted: Fingerprint,
    rows: Rows,
    nowMs: number,
    windowMs: number,
  ): number | undefined {
    const searched = this.#current;
    const place = searched.placeOf(wanted);
    const row = searched.rowAt(place) ?? this.#previous.find(wanted);
    if (row !== undefined && nowMs - rows.recordedMs(row) < windowMs) return row;
    const current = this.#currentAt(nowMs, windowMs);
    // A generation is left before its first entry is too old: what was found wasn't in this one.
    current.put(current === searched ? place : current.placeOf(wanted), wanted, rows.count);
    this.#latestMs = nowMs;
    return undefined;
  }

  /** The generation that what is recorded now belongs to. */
  #currentAt(nowMs: number, windowMs: number): Generation {
    // Whether somebody swept before must not show in the state.
    this.forget(nowMs, windowMs);
    if (this.#current.used === 0) {
      this.#current = new Generation(nowMs, FIRST_SLOTS);
    } else if (nowMs - this.#current.since >= windowMs) {
      this.#previous = this.#current;
      this.#current = new Generation(nowMs, FIRST_SLOTS);
    }
    return this.#current;
  }

  /** Drops what the window has passed. Changes no answer, frees memory. */
  forget(nowMs: number, windowMs: number): void {
    if (nowMs - this.#latestMs >= windowMs) {
      this.#previous = new Generation(0);
      this.#current = new Generation(0);
    }
  }

  copy(): RecentImpressions {
    const copied = new RecentImpressions();
    copied.#previous = this.#previous.copy();
    copied.#current = this.#current.copy();
    copied.#latestMs = this.#latestMs;
    return copied;
  }

  save(): SavedRecent | undefined {
    if (this.#current.used + this.#previous.used === 0) return undefined;
    return {
      latest: this.#latestMs,
      current: this.#current.save(),
      previous: this.#previous.save(),
    };
  }

  static load(saved: SavedRecent | undefined, rows: number): RecentImpressions {
    const recent = new RecentImpressions();
    if (saved === undefined) return recent;
    recent.#latestMs = saved.latest;
    recent.#current = Generation.load(saved.current, rows);
    recent.#previous = Generation.load(saved.previous, rows);
    return recent;
  }
}
