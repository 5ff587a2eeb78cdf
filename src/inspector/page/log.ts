/** What the page holds of a world: exchanges and changes, oldest first. */

import type { Change, Item, Row } from "./contract.ts";
import type { Listener } from "./source.ts";

export interface Log extends Omit<Listener, "connection" | "ended"> {
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

/** Several times what a journal keeps by default. With more, the page would be slow. */
const MAX_ITEMS = 50_000;

export function isRow(item: Item): item is Row {
  return "sequence" in item;
}

/** Where an item stands among the others: a change comes between two rows. */
export function orderOf(item: Item): number {
  return isRow(item) ? item.sequence : item.after + 0.5;
}

export function createLog(notify: () => void): Log {
  /** The first row about each event. */
  let firsts: ReadonlyMap<string | undefined, Row> = new Map();
  const log = {
    items: [] as readonly Item[],
    ...{ version: 0, lastChange: 0, restarts: 0 },
    repeated(row: Row): Row | undefined {
      const first = row.eventKey === undefined ? undefined : firsts.get(row.eventKey);
      return first === row ? undefined : first;
    },
    exchanges: add,
    changes(list: readonly Change[]): void {
      // Those after the last row come with every answer.
      const fresh = list.filter(({ number }) => number > log.lastChange);
      if (fresh.length === 0) return;
      log.lastChange = fresh.at(-1)?.number ?? log.lastChange;
      add(fresh);
    },
    restarted(): void {
      [log.items, log.lastChange] = [[], 0];
      log.restarts += 1;
      add([]);
    },
  };

  /** Changes may arrive before the rows that they follow. */
  function add(fresh: readonly Item[]): void {
    const all = [...log.items, ...fresh].sort((one, other) => orderOf(one) - orderOf(other));
    log.items = all.slice(-MAX_ITEMS);
    const newestFirst = log.items.filter(isRow).toReversed();
    firsts = new Map(newestFirst.map((row) => [row.eventKey, row]));
    log.version += 1;
    notify();
  }
  return log;
}
