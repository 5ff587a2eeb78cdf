/**
 * Finds one publisher's impressions within the de-duplication window by a 64-bit fingerprint. Old fingerprints are dropped
 * in whole generations, so memory depends on the last two windows, not on the whole history. With an infinite window there
 * is one generation, and nothing is ever dropped.
 */

import { fromBase64, toBase64 } from "../../base/text.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** The recorded impressions that fingerprints refer to. */
interface Rows {
  readonly count: number;
  /** In milliseconds since 1970. */
  recordedMs(row: number): number;
}

/** A generation as JSON. `entries` is the base 64 of little-endian `[a, b, row]` triples in order of recording. */
export interface SavedGeneration {
  readonly since: number;
  readonly entries: string;
}

export interface SavedRecent {
  readonly latest: number;
  readonly current: SavedGeneration;
  readonly previous: SavedGeneration;
}

const FIRST_SLOTS = 16;
/** Means that there is no such row. */
const NO_ROW = -1;

/**
 * A table of (fingerprint → row). Entries are in order of recording; an open-addressing index finds them. Most searches
 * read only the index, which takes a third of the memory.
 */
class Generation {
  /** `[a, b, row]` for each entry. */
  #entries: Int32Array<ArrayBuffer>;
  #used = 0;
  /** A slot holds the number of an entry, from 1, and in its upper bits as much of the entry's `b` as fits; 0 if it is free. */
  #index: Uint32Array<ArrayBuffer>;
  /** The number of slots minus one. */
  #mask: number;
  /** When its first entry was made, in milliseconds since 1970. */
  readonly since: number;

  /** `slots` is a power of two, or 0 for {@link noEntries}. */
  constructor(since: number, slots = 0) {
    this.since = since;
    this.#entries = new Int32Array(3 * roomIn(slots));
    this.#index = new Uint32Array(slots);
    this.#mask = slots - 1;
  }

  get used(): number {
    return this.#used;
  }

  /** The row with this fingerprint, or {@link NO_ROW}. */
  find({ a, b }: Fingerprint): number {
    const mask = this.#mask;
    // Without slots the search would never end.
    if (mask < 0) return NO_ROW;
    const index = this.#index;
    const entries = this.#entries;
    const tag = b & ~mask;
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const slotValue = index[slot] ?? 0;
      if (slotValue === 0) return NO_ROW;
      if ((slotValue & ~mask) !== tag) continue;
      const at = 3 * ((slotValue & mask) - 1);
      if (entries[at] === a && entries[at + 1] === b) return (entries[at + 2] ?? 0) >>> 0;
    }
  }

  /** Adds an entry. Its fingerprint must not be in the table yet. */
  put({ a, b }: Fingerprint, row: number): void {
    if (this.#used === roomIn(this.#index.length)) this.#grow();
    const entries = this.#entries;
    const at = 3 * this.#used;
    entries[at] = a;
    entries[at + 1] = b;
    entries[at + 2] = row;
    this.#used += 1;
    this.#file(this.#used);
  }

  copy(): Generation {
    if (this === noEntries) return this;
    const copied = new Generation(this.since);
    copied.#entries = this.#entries.slice();
    copied.#used = this.#used;
    copied.#index = this.#index.slice();
    copied.#mask = this.#mask;
    return copied;
  }

  save(): SavedGeneration {
    const bytes = new Uint8Array(this.#entries.buffer, 0, 12 * this.#used);
    return { since: this.since, entries: toBase64(bytes) };
  }

  static load(saved: SavedGeneration): Generation {
    const words = new Int32Array(fromBase64(saved.entries).buffer);
    if (words.length === 0) return noEntries;
    const generation = new Generation(saved.since, FIRST_SLOTS);
    for (let at = 0; at < words.length; at += 3) {
      const entry = { a: words[at] ?? 0, b: words[at + 1] ?? 0 };
      generation.put(entry, (words[at + 2] ?? 0) >>> 0);
    }
    return generation;
  }

  #grow(): void {
    const slots = 2 * this.#index.length;
    const entries = new Int32Array(3 * roomIn(slots));
    entries.set(this.#entries);
    this.#entries = entries;
    this.#index = new Uint32Array(slots);
    this.#mask = slots - 1;
    for (let number = 1; number <= this.#used; number += 1) this.#file(number);
  }

  /** Puts the entry with this number into the index. */
  #file(number: number): void {
    const index = this.#index;
    const mask = this.#mask;
    const at = 3 * (number - 1);
    let slot = (this.#entries[at] ?? 0) & mask;
    while (index[slot] !== 0) slot = (slot + 1) & mask;
    index[slot] = ((this.#entries[at + 1] ?? 0) & ~mask) | number;
  }
}

/** How many entries a number of slots may hold: two thirds, so that searches are short. */
function roomIn(slots: number): number {
  return Math.floor((slots * 2) / 3);
}

/** Shared, because most publishers of a large world have recorded nothing lately. */
const noEntries = new Generation(0);

export class RecentImpressions {
  #previous: Generation = noEntries;
  #current: Generation = noEntries;
  #latestMs = 0;

  /**
   * Finds the row with this fingerprint that was recorded less than `windowMs` before `nowMs`. If there is none, returns
   * undefined and remembers the fingerprint for the row that is recorded next.
   */
  findOriginalOrRemember(
    wanted: Fingerprint,
    rows: Rows,
    nowMs: number,
    windowMs: number,
  ): number | undefined {
    let row = this.#current.find(wanted);
    if (row === NO_ROW) row = this.#previous.find(wanted);
    if (row !== NO_ROW && nowMs - rows.recordedMs(row) < windowMs) return row;
    // An outdated row can't be in the generation that is current now, so this adds no second entry for the fingerprint.
    this.#currentAt(nowMs, windowMs).put(wanted, rows.count);
    this.#latestMs = nowMs;
    return undefined;
  }

  /** The generation for impressions that are recorded now. */
  #currentAt(nowMs: number, windowMs: number): Generation {
    // The state must not depend on whether `forget` was called before.
    this.forget(nowMs, windowMs);
    if (this.#current.used === 0) {
      this.#current = new Generation(nowMs, FIRST_SLOTS);
    } else if (nowMs - this.#current.since >= windowMs) {
      this.#previous = this.#current;
      this.#current = new Generation(nowMs, FIRST_SLOTS);
    }
    return this.#current;
  }

  /** Drops everything if all of it is outside the window. Frees memory without changing any answer. */
  forget(nowMs: number, windowMs: number): void {
    if (nowMs - this.#latestMs >= windowMs) {
      this.#previous = noEntries;
      this.#current = noEntries;
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

  static load(saved: SavedRecent | undefined): RecentImpressions {
    const recent = new RecentImpressions();
    if (saved === undefined) return recent;
    recent.#latestMs = saved.latest;
    recent.#current = Generation.load(saved.current);
    recent.#previous = Generation.load(saved.previous);
    return recent;
  }
}
