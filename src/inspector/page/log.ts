/** What the page holds of a world: exchanges and changes, oldest first. */

import type { Item, Row } from "./contract.ts";
import type { Listener } from "./source.ts";

export interface Log extends Omit<Listener, "connection"> {
  readonly items: readonly Item[];
  /** Grows with every change. */
  readonly version: number;
  /** The number of the last change by hand. */
  readonly lastChange: number;
  /** How often all rows so far became void. */
  readonly restarts: number;
  /** The first row that the page has about the same event, if it is an earlier one. */
  repeated(row: Row): Row | undefined;
}

/** As many as a journal keeps by default. */
const MAX_ITEMS = 10_000;

export function isRow(item: Item): item is Row {
  return "sequence" in item;
}

/** Where an item stands among the others: a change comes between two rows. */
export function orderOf(item: Item): number {
  return isRow(item) ? item.sequence : item.after + 0.5;
}

export function createLog(notify: () => void): Log {
  let items: Item[] = [];
  let [version, lastChange, restarts] = [0, 0, 0];
  /** The first row about each event. */
  let firsts: ReadonlyMap<string | undefined, Row> = new Map();

  /** Changes may arrive before the rows that they follow. */
  function add(fresh: readonly Item[]): void {
    const all = [...items, ...fresh].sort((one, other) => orderOf(one) - orderOf(other));
    items = all.slice(-MAX_ITEMS);
    const newestFirst = items.filter(isRow).toReversed();
    firsts = new Map(newestFirst.map((row) => [row.eventKey, row]));
    version += 1;
    notify();
  }

  return {
    get items() {
      return items;
    },
    get version() {
      return version;
    },
    get lastChange() {
      return lastChange;
    },
    get restarts() {
      return restarts;
    },
    repeated(row) {
      const first = row.eventKey === undefined ? undefined : firsts.get(row.eventKey);
      return first === row ? undefined : first;
    },
    exchanges: add,
    changes(list) {
      // Those after the last row come with every answer.
      const fresh = list.filter(({ number }) => number > lastChange);
      if (fresh.length === 0) return;
      lastChange = fresh.at(-1)?.number ?? lastChange;
      add(fresh);
    },
    restarted() {
      [items, lastChange] = [[], 0];
      restarts += 1;
      add([]);
    },
  };
}
