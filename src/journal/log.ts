/** What happened to a world, in order: its exchanges, and what was done by hand between them. Keeps the latest. */

import type { ClockMode } from "../base/clock.ts";
import type { FaultChange } from "../faults/faults.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { PublisherChange } from "../world/accounts/publisher-directory.ts";
import type { JournalRecord } from "./record.ts";

/** What is done by hand. `was`: the mode of the clock before. A change of the kind `replace` replaces the whole state. */
export type WorldChange =
  | PublisherChange
  | FaultChange
  | { readonly kind: "advance"; readonly byMs: number }
  | Readonly<{ kind: "set-clock"; mode: ClockMode; nowMs: number; was: ClockMode }>
  | { readonly kind: "assume"; readonly assumptions: Partial<Assumptions> }
  | { readonly kind: "replace"; readonly by: "restore" | "play"; readonly was: ClockMode };

export interface ExchangeItem {
  readonly kind: "exchange";
  /** How many items were before it. A reset doesn't change that. */
  readonly position: number;
  /** Counts all exchanges of the world, from 1. */
  readonly sequence: number;
  readonly record: JournalRecord;
  /** Its estimated size when it was recorded. */
  readonly bytes: number;
}

export interface ChangeItem {
  readonly kind: "change";
  /** How many items were before it. A reset doesn't change that. */
  readonly position: number;
  /** Counts all changes by hand, from 1. */
  readonly number: number;
  /** The exchange after which it was made; 0 before the first. */
  readonly after: number;
  /** In milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  readonly change: WorldChange;
}

export type LogItem = ExchangeItem | ChangeItem;

export class Log {
  /** Most exchanges; 0 keeps nothing. */
  readonly capacity: number;
  /** By position. */
  readonly #items = new Map<number, LogItem>();
  /** The position of the first item that it has, and that of the next one. */
  begin = 0;
  end = 0;
  /** How many exchanges and changes there were since the world began, including dropped ones. */
  total = 0;
  changeCount = 0;
  /** How many exchanges it still has, and their estimated size. */
  kept = 0;
  bytes = 0;
  /** Grows when everything is dropped. */
  restarts = 0;
  /** Called before everything is dropped because the world starts over. */
  beforeRestart: () => void = () => undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  add(record: JournalRecord): ExchangeItem {
    this.total += 1;
    const bytes = this.capacity === 0 ? 0 : bytesOf(record);
    const { end: position, total: sequence } = this;
    const item: ExchangeItem = { kind: "exchange", position, sequence, record, bytes };
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
    const { end: position, changeCount: number, total: after } = this;
    this.#append({ kind: "change", position, number, after, atMs, change });
  }

  /** Drops the oldest exchange, and the changes before it. */
  dropOldest(): void {
    while (this.#dropFirst()?.kind === "change");
  }

  /** Drops all entries. Numbering continues. */
  readonly clear = (): void => {
    while (this.#dropFirst() !== undefined);
    this.restarts += 1;
  };

  /** Drops everything and restarts the numbering. */
  restart(): void {
    this.beforeRestart();
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

  exchanges(): readonly ExchangeItem[] {
    return this.items().filter((item) => item.kind === "exchange");
  }

  /** The exchange with this number; undefined if it was dropped. */
  exchange(sequence: number): ExchangeItem | undefined {
    return this.exchanges().find((item) => item.sequence === sequence);
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
  let bytes = RECORD_BYTES + path.length + query.length + body.length + response.body.length;
  for (const name in headers) bytes += headers[name]?.length ?? 0;
  return bytes + (fault?.lost?.body.length ?? 0);
}
