/** The rows that the page holds, oldest first, and those of them that pass the filter. */

import type { Api } from "./api.ts";
import type { Catalogue, Item, Row } from "./contract.ts";
import type { Listener } from "./events.ts";
import { type Filter, matcherOf, noFilter } from "./filter.ts";

export interface Log extends Omit<Listener, "connection"> {
  /** All items. */
  readonly items: readonly Item[];
  /** Those that pass the filter. */
  readonly shown: readonly Item[];
  /** The sequence of an earlier row about the same event: the first that the page has. */
  repeated(row: Row): number | undefined;
  /** Publishers of all rows so far. */
  readonly publishers: ReadonlySet<string>;
  /** Statuses of all rows so far, in order. */
  readonly statuses: readonly number[];
  /** Grows when the world's time may have changed other than by itself. */
  readonly clockVersion: number;
  /** Grows with every change. */
  readonly version: number;
  /** How often all rows so far became void. */
  readonly restarts: number;
  /** How many of the shown items were dropped at the old end. */
  readonly dropped: number;
  /** Whether it has all rows that there were when the page began. */
  readonly isCurrent: boolean;
  /** Tells the last row that there was when the page began. */
  expect(sequence: number): void;
  filterBy(filter: Filter): void;
}

/** What every view gets. */
export interface ViewProps {
  readonly api: Api;
  readonly log: Log;
  readonly catalogue: Catalogue;
  /** Changes soon after the world did: a reason to ask again. */
  readonly version: number;
}

/** What arrives within this time is drawn together. */
const GATHER_MS = 100;

export function isRow(item: Item): item is Row {
  return "sequence" in item;
}

/** Where an item stands among the others: a change comes between two rows. */
export function orderOf(item: Item): number {
  return isRow(item) ? item.sequence : item.after + 0.5;
}

/** The index of the last item at or before this place; -1 if there is none. */
export function indexAt(items: readonly Item[], order: number): number {
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

/** `notify` is called a moment after something changed. */
export function createLog(notify: () => void): Log {
  let items: Item[] = [];
  let shown: Item[] = [];
  let version = 0;
  let dropped = 0;
  let clockVersion = 0;
  let restarts = 0;
  let expected: number | undefined;
  let filter = noFilter;
  let matches = matcherOf(filter);
  let isWaiting = false;
  const publishers = new Set<string>();
  const firsts = new Map<string, number>();
  const statuses = new Set<number>();

  function changed(): void {
    version += 1;
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      notify();
    }, GATHER_MS);
  }

  function noteFirst({ eventKey, sequence }: Row): void {
    if (eventKey !== undefined && !firsts.has(eventKey)) firsts.set(eventKey, sequence);
  }

  return {
    get items() {
      return items;
    },
    get shown() {
      return shown;
    },
    get version() {
      return version;
    },
    get restarts() {
      return restarts;
    },
    get clockVersion() {
      return clockVersion;
    },
    get isCurrent() {
      return expected !== undefined && (items.findLast(isRow)?.sequence ?? 0) >= expected;
    },
    expect(sequence) {
      expected = sequence;
      changed();
    },
    get dropped() {
      return dropped;
    },
    repeated(row) {
      const first = firsts.get(row.eventKey ?? "");
      return first === row.sequence ? undefined : first;
    },
    publishers,
    get statuses() {
      return [...statuses].filter((status) => status > 0).sort((a, b) => a - b);
    },
    exchanges(rows) {
      for (const row of rows) {
        const last = items.at(-1);
        // After a reconnection some may come again.
        if (last !== undefined && orderOf(last) >= row.sequence && has(items, row)) continue;
        insert(items, row);
        noteFirst(row);
        statuses.add(row.status);
        if (row.publisher !== undefined) publishers.add(row.publisher);
        if (matches(row)) insert(shown, row);
      }
      changed();
    },
    changes(list) {
      for (const change of list) {
        if (has(items, change)) continue;
        clockVersion += 1;
        insert(items, change);
        if (matches(change)) insert(shown, change);
      }
      changed();
    },
    forgotten(through) {
      items.splice(0, indexAt(items, through) + 1);
      firsts.clear();
      for (const item of items) if (isRow(item)) noteFirst(item);
      const gone = indexAt(shown, through) + 1;
      shown.splice(0, gone);
      dropped += gone;
      changed();
    },
    restarted() {
      items = [];
      shown = [];
      publishers.clear();
      firsts.clear();
      restarts += 1;
      expected = 0;
      clockVersion += 1;
      statuses.clear();
      changed();
    },
    filterBy(next) {
      if (JSON.stringify(next) === JSON.stringify(filter)) return;
      filter = next;
      matches = matcherOf(filter);
      shown = items.filter(matches);
      version += 1;
    },
  };
}

/** Whether the same item is there already. */
function has(items: readonly Item[], item: Item): boolean {
  const order = orderOf(item);
  for (let index = indexAt(items, order); index >= 0; index -= 1) {
    const other = items[index];
    if (other === undefined || orderOf(other) !== order) return false;
    if (isRow(item) || (!isRow(other) && other.number === item.number)) return true;
  }
  return false;
}

/** Almost always at the end. */
function insert(items: Item[], item: Item): void {
  const at = indexAt(items, orderOf(item)) + 1;
  if (at === items.length) items.push(item);
  else items.splice(at, 0, item);
}
