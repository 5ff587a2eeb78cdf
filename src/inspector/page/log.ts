/** What the page holds of a world: exchanges and changes, oldest first. */

import type { Item, Row } from "./contract.ts";
import type { Listener } from "./source.ts";

export interface Log extends Omit<Listener, "connection"> {
  readonly items: readonly Item[];
  /** Grows with every change. */
  readonly version: number;
  /** Grows when the world's time may have changed other than by itself. */
  readonly changeCount: number;
  /** How often all rows so far became void. */
  readonly restarts: number;
  /** The first row that the page has about the same event, if it is an earlier one. */
  repeated(row: Row): Row | undefined;
}

export function isRow(item: Item): item is Row {
  return "sequence" in item;
}

/** Where an item stands among the others: a change comes between two rows. */
export function orderOf(item: Item): number {
  return isRow(item) ? item.sequence : item.after + 0.5;
}

/** The index of the last item at or before this place; -1 if there is none. */
function indexAt(items: readonly Item[], order: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && orderOf(item) <= order) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function createLog(notify: () => void): Log {
  let items: Item[] = [];
  let [version, changeCount, restarts] = [0, 0, 0];
  const firsts = new Map<string, Row>();

  function changed(): void {
    version += 1;
    notify();
  }
  function noteFirst(item: Item): void {
    const key = isRow(item) ? item.eventKey : undefined;
    if (key !== undefined && isRow(item) && !firsts.has(key)) firsts.set(key, item);
  }
  /** Almost always at the end. After a reconnection some may come again. */
  function insert(item: Item): void {
    const order = orderOf(item);
    const at = indexAt(items, order);
    for (let index = at; index >= 0; index -= 1) {
      const other = items[index];
      if (other === undefined || orderOf(other) !== order) break;
      if (isRow(item) || (!isRow(other) && other.number === item.number)) return;
    }
    items.splice(at + 1, 0, item);
    noteFirst(item);
  }

  return {
    get items() {
      return items;
    },
    get version() {
      return version;
    },
    get changeCount() {
      return changeCount;
    },
    get restarts() {
      return restarts;
    },
    repeated(row) {
      const first = firsts.get(row.eventKey ?? "");
      return first === row ? undefined : first;
    },
    exchanges(rows) {
      for (const row of rows) insert(row);
      changed();
    },
    changes(list) {
      changeCount += 1;
      for (const change of list) insert(change);
      changed();
    },
    forgotten(through) {
      items.splice(0, indexAt(items, through) + 1);
      firsts.clear();
      for (const item of items) noteFirst(item);
      changed();
    },
    restarted() {
      items = [];
      firsts.clear();
      restarts += 1;
      changeCount += 1;
      changed();
    },
  };
}
