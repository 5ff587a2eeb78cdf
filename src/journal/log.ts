/** What happened to a world, in order: its exchanges, and what was done by hand between them. Keeps the latest. */

import type { JournalRecord } from "./record.ts";
import type { WorldChange } from "./world-change.ts";

export interface ExchangeItem {
  readonly kind: "exchange";
  /** Counts all exchanges of the world, from 1. */
  readonly sequence: number;
  readonly record: JournalRecord;
  /** Its estimated size when it was recorded. */
  readonly bytes: number;
}

export interface ChangeItem {
  readonly kind: "change";
  /** Counts all changes by hand, from 1. */
  readonly number: number;
  /** The exchange after which it was made; 0 before the first. */
  readonly after: number;
  /** In milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  readonly change: WorldChange;
}

export type LogItem = ExchangeItem | ChangeItem;

/** Most changes by hand that are kept. */
const MAX_CHANGES = 50_000;

export class Log {
  /** Most exchanges; 0 keeps nothing. */
  readonly capacity: number;
  /** By position: the number of items before it, since the beginning. */
  readonly #items = new Map<number, LogItem>();
  /** The position of the first item that it has, and that of the next one. */
  begin = 0;
  end = 0;
  /** The exchanges and the changes so far, including dropped ones. */
  total = 0;
  changeCount = 0;
  /** The exchanges that it still has, and their estimated size. */
  kept = 0;
  bytes = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  add(record: JournalRecord): ExchangeItem {
    this.total += 1;
    const bytes = this.capacity === 0 ? 0 : bytesOf(record);
    const item: ExchangeItem = { kind: "exchange", sequence: this.total, record, bytes };
    if (this.capacity === 0) return item;
    if (this.kept === this.capacity) this.dropOldest();
    this.#append(item);
    this.kept += 1;
    this.bytes += bytes;
    return item;
  }

  note(change: WorldChange, atMs: number): void {
    if (this.capacity === 0) return;
    this.changeCount += 1;
    this.#append({ kind: "change", number: this.changeCount, after: this.total, atMs, change });
    while (this.end - this.begin - this.kept > MAX_CHANGES) this.#dropFirst();
  }

  /** Drops the oldest exchange, and the changes before it. */
  dropOldest(): void {
    while (this.#dropFirst()?.kind === "change");
  }

  /** Drops everything. Numbering continues. */
  clear(): void {
    while (this.#dropFirst() !== undefined);
  }

  /** Drops everything and restarts the numbering. */
  restart(): void {
    this.clear();
    this.total = 0;
    this.changeCount = 0;
  }

  /** The items from one position up to another one, as far as it has them. */
  items(from = this.begin, to = this.end): readonly LogItem[] {
    const items: LogItem[] = [];
    for (let position = Math.max(from, this.begin); position < to; position += 1) {
      const item = this.#items.get(position);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  changes(): readonly ChangeItem[] {
    return this.items().filter((item) => item.kind === "change");
  }

  /** The exchanges from this number on. */
  exchanges(first = 1): readonly ExchangeItem[] {
    const isAsked = (item: LogItem): item is ExchangeItem =>
      item.kind === "exchange" && item.sequence >= first;
    return this.items().filter(isAsked);
  }

  /** The exchange with this number; undefined if it was dropped. */
  exchange(sequence: number): ExchangeItem | undefined {
    return this.exchanges(sequence).find((item) => item.sequence === sequence);
  }

  /** The position of the exchange with this number; undefined if it was dropped. */
  positionOf(sequence: number): number | undefined {
    const index = this.items().findIndex(
      (item) => item.kind === "exchange" && item.sequence === sequence,
    );
    return index === -1 ? undefined : this.begin + index;
  }

  #append(item: LogItem): void {
    this.#items.set(this.end, item);
    this.end += 1;
  }

  #dropFirst(): LogItem | undefined {
    const item = this.#items.get(this.begin);
    if (item === undefined) return undefined;
    this.#items.delete(this.begin);
    this.begin += 1;
    if (item.kind === "exchange") {
      this.kept -= 1;
      this.bytes -= item.bytes;
    }
    return item;
  }
}

/** The size of a record without its texts, about. */
const RECORD_BYTES = 1000;

/** Estimates the memory that a record takes. */
function bytesOf({ path, query, headers, body, response, fault }: JournalRecord): number {
  const bodies = [body, response.body, fault?.lost?.body ?? ""];
  const texts = [path, query, ...Object.values(headers), ...bodies];
  return texts.reduce((sum, { length }) => sum + length, RECORD_BYTES);
}
