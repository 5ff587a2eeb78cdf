/**
 * Which impressions of one publisher were recorded within the de-duplication window, by a 64-bit fingerprint. What the
 * window has passed is forgotten in whole generations, so memory follows the last two windows, not the history. A window
 * may be infinite: then nothing is ever forgotten, and there is one generation.
 */

import { type Key, mix } from "../base/random.ts";
import { fromBase64, toBase64 } from "../base/text.ts";

/** 64 bits that stand for what makes two impressions the same, as two signed numbers: those need no box. */
export interface Fingerprint {
  readonly a: number;
  readonly b: number;
}

/** The fingerprint of some texts in order. Two lists that differ share one with a chance of 2^-64. */
export function fingerprint(
  key: Key,
  surfaceIndex: number,
  adId: string,
  sessionId: string,
): Fingerprint {
  let a = key.a ^ surfaceIndex;
  let b = key.b + adId.length;
  for (let index = 0; index < adId.length; index += 1) {
    const code = adId.charCodeAt(index);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
    a ^= b >>> 15;
  }
  for (let index = 0; index < sessionId.length; index += 1) {
    const code = sessionId.charCodeAt(index);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
    a ^= b >>> 15;
  }
  return { a: mix(a ^ Math.imul(b, 0x85ebca77)), b: mix(b + a) };
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
  #slots = new Int32Array(0);
  #used = 0;
  /** When its first entry was made, in milliseconds since 1970. */
  readonly since: number;

  constructor(since: number) {
    this.since = since;
  }

  get used(): number {
    return this.#used;
  }

  find(wanted: Fingerprint): number | undefined {
    if (this.#used === 0) return undefined;
    const stored = (this.#slots[this.#place(this.#slots, wanted) + 2] ?? 0) >>> 0;
    return stored === 0 ? undefined : stored - 1;
  }

  put(wanted: Fingerprint, row: number): void {
    const slots = this.#slots.length / 3;
    if (this.#used * 3 >= slots * 2) this.#grow(Math.max(FIRST_SLOTS, slots * 2));
    const at = this.#place(this.#slots, wanted);
    if (this.#slots[at + 2] === 0) this.#used += 1;
    this.#write(this.#slots, at, wanted.a, wanted.b, row + 1);
  }

  copy(): Generation {
    const copied = new Generation(this.since);
    copied.#slots = this.#slots.slice();
    copied.#used = this.#used;
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
    const generation = new Generation(saved.since);
    generation.#slots = slots;
    let used = 0;
    for (let at = 0; at < slots.length; at += 3) if (slots[at + 2] !== 0) used += 1;
    if (used !== saved.used)
      throw new Error("A de-duplication table has another number of entries.");
    generation.#used = used;
    for (let at = 0; at < slots.length; at += 3) {
      const stored = (slots[at + 2] ?? 0) >>> 0;
      const entry = { a: slots[at] ?? 0, b: slots[at + 1] ?? 0 };
      if (stored !== 0 && (stored > rows || generation.#place(slots, entry) !== at)) {
        throw new Error("A de-duplication table has an entry where none can be.");
      }
    }
    return generation;
  }

  /** Where the entry is, or the free slot where it belongs. */
  #place(slots: Int32Array, wanted: Fingerprint): number {
    const mask = slots.length / 3 - 1;
    let slot = wanted.a & mask;
    for (;;) {
      const at = slot * 3;
      if (slots[at + 2] === 0 || (slots[at] === wanted.a && slots[at + 1] === wanted.b)) return at;
      slot = (slot + 1) & mask;
    }
  }

  #write(slots: Int32Array, at: number, a: number, b: number, stored: number): void {
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = stored;
  }

  #grow(slotCount: number): void {
    const old = this.#slots;
    const grown = new Int32Array(slotCount * 3);
    for (let at = 0; at < old.length; at += 3) {
      const stored = old[at + 2] ?? 0;
      if (stored === 0) continue;
      const entry = { a: old[at] ?? 0, b: old[at + 1] ?? 0 };
      this.#write(grown, this.#place(grown, entry), entry.a, entry.b, stored);
    }
    this.#slots = grown;
  }
}

export class RecentImpressions {
  #previous = new Generation(0);
  #current = new Generation(0);
  #latestMs = 0;

  /** The latest row remembered under this fingerprint. It may be older than the window: the caller knows its time. */
  find(wanted: Fingerprint): number | undefined {
    return this.#current.find(wanted) ?? this.#previous.find(wanted);
  }

  remember(wanted: Fingerprint, row: number, nowMs: number, windowMs: number): void {
    // Whether somebody swept before must not show in the state.
    this.forget(nowMs, windowMs);
    if (this.#current.used === 0) {
      this.#current = new Generation(nowMs);
    } else if (nowMs - this.#current.since >= windowMs) {
      this.#previous = this.#current;
      this.#current = new Generation(nowMs);
    }
    this.#current.put(wanted, row);
    this.#latestMs = nowMs;
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
