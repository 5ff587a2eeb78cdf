/** What happened to a world, in order: its exchanges, and what was done by hand between them. Keeps the latest. */

import type { BudgetMember, JournalBudget } from "./budget.ts";
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

export class Log implements BudgetMember {
  /** Most exchanges; 0 keeps nothing. */
  readonly capacity: number;
  /** The exchanges so far, including dropped ones. */
  total = 0;
  /** The exchanges that it still has. */
  kept = 0;
  /** The changes so far, including dropped ones. */
  changeCount = 0;
  /** The estimated size of what it has. */
  bytes = 0;
  /** The position of the first item that it has. Positions count all items since the beginning, from 0. */
  begin = 0;
  #items: LogItem[] = [];
  /** The position of `#items[0]`, which may be dropped already. */
  #base = 0;
  #budget: JournalBudget | undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** The position after the last item. */
  get end(): number {
    return this.#base + this.#items.length;
  }

  add(record: JournalRecord): ExchangeItem {
    this.total += 1;
    const bytes = this.capacity === 0 ? 0 : bytesOf(record);
    const item: ExchangeItem = { kind: "exchange", sequence: this.total, record, bytes };
    if (this.capacity === 0) return item;
    if (this.kept === this.capacity) this.dropOldest();
    this.#items.push(item);
    this.kept += 1;
    this.bytes += bytes;
    this.#budget?.enforce(this);
    return item;
  }

  note(change: WorldChange, atMs: number): void {
    if (this.capacity === 0) return;
    this.changeCount += 1;
    const number = this.changeCount;
    this.#items.push({ kind: "change", number, after: this.total, atMs, change });
    while (this.end - this.begin - this.kept > MAX_CHANGES) this.#dropFirst();
  }

  /** Drops the oldest exchange, and the changes before it. */
  dropOldest(): void {
    while (this.#dropFirst()?.kind === "change");
  }

  /** Drops everything. Numbering continues. */
  clear(): void {
    this.begin = this.end;
    this.#base = this.end;
    this.#items = [];
    this.kept = 0;
    this.bytes = 0;
  }

  /** Drops everything and restarts the numbering. */
  restart(): void {
    this.clear();
    Object.assign(this, { total: 0, changeCount: 0, begin: 0 });
    this.#base = 0;
  }

  /** Shares a limit with the other journals of a server; undefined ends that. */
  share(budget: JournalBudget | undefined): void {
    this.#budget?.journals.delete(this);
    this.#budget = budget;
    budget?.journals.add(this);
  }

  /** The items from one position up to another one, as far as it has them. */
  items(from = this.begin, to = this.end): readonly LogItem[] {
    return this.#items.slice(Math.max(from, this.begin) - this.#base, to - this.#base);
  }

  /** The exchanges from this number on. */
  exchanges(first = 1): readonly ExchangeItem[] {
    const isAsked = (item: LogItem): item is ExchangeItem =>
      item.kind === "exchange" && item.sequence >= first;
    return this.items().filter(isAsked);
  }

  changes(): readonly ChangeItem[] {
    return this.items().filter((item) => item.kind === "change");
  }

  /** The exchange with this number; undefined if it was dropped. */
  exchange(sequence: number): ExchangeItem | undefined {
    const position = this.positionOf(sequence);
    const item = position === undefined ? undefined : this.#items[position - this.#base];
    return item?.kind === "exchange" ? item : undefined;
  }

  /** The position of the exchange with this number; undefined if it was dropped. */
  positionOf(sequence: number): number | undefined {
    const isAsked = (item: LogItem): boolean =>
      item.kind === "exchange" && item.sequence === sequence;
    const position = this.#base + this.#items.findIndex(isAsked);
    return position < this.begin ? undefined : position;
  }

  #dropFirst(): LogItem | undefined {
    const item = this.#items[this.begin - this.#base];
    if (item === undefined) return undefined;
    this.begin += 1;
    if (item.kind === "exchange") {
      this.kept -= 1;
      this.bytes -= item.bytes;
    }
    const dropped = this.begin - this.#base;
    // Moving the others each time would be slow.
    if (dropped * 8 > this.#items.length) {
      this.#items.splice(0, dropped);
      this.#base = this.begin;
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
