/** What happened: the latest requests with their answers and the reason for each, in a ring. */

import { type ApiResponse, copyOfResponse } from "../spec/messages.ts";
import type { JournalBudget } from "./budget.ts";
import type { JournalEntry, Nearest } from "./entry.ts";
import {
  type HarFilter,
  type JournalFilter,
  type ParsedFilter,
  parseFilter,
  readHarFilter,
  type Secrets,
} from "./filter.ts";
import { harBaseUrl, harPieces } from "./har.ts";
import { type ExchangeObserver, join, notifyObservers } from "./logged-exchange.ts";
import type { JournalRecord, NumberedRecord, ShownRecord } from "./record.ts";
import { createRecordRing, type RecordRing } from "./ring.ts";
import { shownEntry } from "./shown-entry.ts";
import { createWaiters, type WaitFor } from "./wait-for.ts";

/** A world's journal. Every method that takes a filter throws {@link InputError} for one that isn't. */
export interface Journal {
  /** The entries kept, oldest first. */
  entries(filter?: JournalFilter): JournalEntry[];
  /** The same as text, a JSON document a line: the entry, and as `world` what the world that answered was made from. */
  toNdjson(filter?: JournalFilter): string;
  /**
   * The same as the text of an HTTP Archive (HAR 1.2), for browsers and other viewers. Each entry has an `_adsim` with what
   * the format has no place for. @throws InputError for a base URL that isn't one.
   */
  toHar(filter?: HarFilter): string;
  readonly waitFor: WaitFor;
  /** Calls it with each request from now on, kept or not, once its answer is made. It must not throw. @returns what ends this. */
  observe(observer: ExchangeObserver): () => void;
  /** Forgets all entries; numbering goes on. */
  clear(): void;
  /** How many requests were journalled since the world began, those forgotten included. */
  readonly total: number;
  /** How many entries are kept. */
  readonly kept: number;
}

export interface JournalRing extends Journal {
  /** Keeps the entry with a copy of its response. @returns the response, for whoever sent the request to do with as they like. */
  record(entry: JournalRecord): ApiResponse;
  /** What is kept, oldest first, keys and all; `first` is the sequence of the oldest. */
  records(): { readonly first: number; readonly records: readonly JournalRecord[] };
  /** The entries that {@link Journal.entries} gives, each worked out only when it is asked for, with their records. */
  shown(filter: JournalFilter): Iterable<ShownRecord>;
  /** Forgets everything, the numbering included. */
  restart(): void;
  readonly share: RecordRing["share"];
  /** Records what another journal recorded. `forgotten`: how many it had before, and keeps no longer. */
  importRecords(from: {
    readonly forgotten: number;
    readonly records: readonly JournalRecord[];
  }): void;
}

/** Explains misses. Made anew for each listing, over which it may remember what it works out. */
export type NearestFinder = () => (record: JournalRecord, secrets: Secrets) => Nearest | undefined;

export interface JournalOptions {
  /** How many requests it keeps; 0 keeps none. */
  readonly entries: number;
  /** How many bytes of requests and responses it keeps, alone or with others. */
  readonly budget: JournalBudget;
  readonly nearest: NearestFinder;
}

export function createJournal({ entries, budget, nearest }: JournalOptions): JournalRing {
  const ring = createRecordRing(entries, budget);
  const oldestKept = (): number => ring.total - ring.kept + 1;

  /** The latest that match, oldest first. */
  function select(filter: ParsedFilter): NumberedRecord[] {
    const found: NumberedRecord[] = [];
    const { total } = ring;
    const oldest = Math.max(filter.first, oldestKept());
    const step = filter.takesFirst ? 1 : -1;
    let sequence = filter.takesFirst ? oldest : total;
    while (sequence >= oldest && sequence <= total && found.length < filter.limit) {
      const record = ring.at(sequence);
      if (record !== undefined && filter.matches(record)) found.push({ record, sequence });
      sequence += step;
    }
    return filter.takesFirst ? found : found.reverse();
  }

  /** Each is worked out when it is asked for. Which there are is decided at once. */
  function* show(
    found: readonly NumberedRecord[],
    { secrets }: ParsedFilter,
  ): Generator<ShownRecord> {
    const find = nearest();
    for (const { record, sequence } of found) {
      yield { record, entry: shownEntry(record, sequence, secrets, find(record, secrets)) };
    }
  }
  const showAll = (found: readonly NumberedRecord[], filter: ParsedFilter): JournalEntry[] =>
    Array.from(show(found, filter), ({ entry }) => entry);

  const observers = new Set<ExchangeObserver>();
  const { waiting, notify, waitFor } = createWaiters({ select, show: showAll });

  function record(entry: JournalRecord): ApiResponse {
    const { response } = entry;
    if (!ring.isOff || waiting.length !== 0) entry.response = copyOfResponse(response);
    ring.add(entry);
    if (observers.size !== 0) notifyObservers(observers, entry, ring.total);
    if (waiting.length !== 0) notify({ record: entry, sequence: ring.total });
    return response;
  }

  return {
    get total(): number {
      return ring.total;
    },
    get kept(): number {
      return ring.kept;
    },
    record,
    importRecords({ forgotten, records }) {
      ring.skip(forgotten);
      for (const one of records) record(one);
    },
    shown(given) {
      const filter = parseFilter(given);
      return show(select(filter), filter);
    },
    entries(given = {}) {
      const filter = parseFilter(given);
      return showAll(select(filter), filter);
    },
    toNdjson(given = {}) {
      const filter = parseFilter(given);
      return Array.from(ndjsonPieces(show(select(filter), filter))).join("");
    },
    toHar(given = {}) {
      const { filter, baseUrl } = readHarFilter(given);
      return Array.from(harPieces(show(select(filter), filter), harBaseUrl(baseUrl))).join("");
    },
    waitFor,
    observe: (observer) => join(observers, observer),
    records() {
      const first = oldestKept();
      const all = Array.from({ length: ring.kept }, (_, index) => ring.at(first + index));
      return { first, records: all.filter((record) => record !== undefined) };
    },
    clear: ring.clear,
    restart: ring.restart,
    share: ring.share,
  };
}

/** For each entry a line: it as JSON, and as `world` what the world that answered was made from. */
export function* ndjsonPieces(shown: Iterable<ShownRecord>): Generator<string> {
  for (const { entry, record } of shown) {
    yield `${JSON.stringify({ ...entry, world: record.world })}\n`;
  }
}
