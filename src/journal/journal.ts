/** The journal of a world: the latest requests, each with its answer and the reason for it. */

import { type ApiResponse, copyOfResponse } from "../spec/messages.ts";
import type { JournalEntry, Nearest } from "./entry.ts";
import {
  type HarFilter,
  type JournalFilter,
  type ParsedFilter,
  parseFilter,
  readHarFilter,
  type Secrets,
} from "./filter.ts";
import { harBaseUrl, harOf } from "./har.ts";
import { type ExchangeObserver, notifyObservers } from "./logged-exchange.ts";
import type { JournalRecord, NumberedRecord, ShownRecord } from "./record.ts";
import { createRecordRing, type RecordRing } from "./ring.ts";
import { shownEntry } from "./shown-entry.ts";
import { createWaiters, type WaitFor } from "./wait-for.ts";

/** A world's journal. Methods that take a filter throw {@link InputError} if it is invalid. */
export interface Journal {
  /** The matching entries, oldest first. */
  entries(filter?: JournalFilter): JournalEntry[];
  /** The entries as NDJSON. Each line has an entry, and in `world` the settings of the world that answered. */
  toNdjson(filter?: JournalFilter): string;
  /**
   * The entries as an HTTP Archive (HAR 1.2) for browsers and other viewers. The `_adsim` of each entry has what the format
   * has no member for. @throws InputError for an invalid base URL.
   */
  toHar(filter?: HarFilter): string;
  readonly waitFor: WaitFor;
  /**
   * Calls the observer after each answer from now on, even if the journal keeps no entries. It must not throw.
   *
   * @returns a function that removes the observer.
   */
  observe(observer: ExchangeObserver): () => void;
  /** Drops all entries. Numbering continues. */
  clear(): void;
  /** How many requests were recorded since the world began, including dropped ones. */
  readonly total: number;
  /** How many entries the journal has now. */
  readonly kept: number;
}

export interface JournalRing extends Journal {
  /** Records the entry with a copy of its response. @returns the original response, which the caller may change. */
  record(entry: JournalRecord): ApiResponse;
  /** Whether it never keeps an entry. */
  readonly isOff: boolean;
  /** The record with this sequence, including secrets; undefined if it isn't kept. */
  recordAt(sequence: number): JournalRecord | undefined;
  /** All records, oldest first, including secrets. `first` is the sequence of the oldest. */
  records(): { readonly first: number; readonly records: readonly JournalRecord[] };
  /** The entries of {@link Journal.entries} with their records. */
  shown(filter: JournalFilter): ShownRecord[];
  /** Drops everything and restarts the numbering. */
  restart(): void;
  /** Grows when entries are dropped at once: by `clear` and `restart`. */
  readonly restarts: number;
  readonly share: RecordRing["share"];
}

/** Explains unknown names and ids. Created for each listing, so that a finder may cache what it computes. */
export type NearestFinder = () => (record: JournalRecord, secrets: Secrets) => Nearest | undefined;

export interface JournalOptions {
  /** How many requests the journal keeps; 0 turns it off. */
  readonly entries: number;
  readonly nearest: NearestFinder;
}

export function createJournal({ entries, nearest }: JournalOptions): JournalRing {
  const ring = createRecordRing(entries);
  const oldestKept = (): number => ring.total - ring.kept + 1;

  /** The matching records within the filter's limit, oldest first. */
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

  function show(found: readonly NumberedRecord[], { secrets }: ParsedFilter): ShownRecord[] {
    const find = nearest();
    return found.map(({ record, sequence }) => ({
      record,
      entry: shownEntry(record, sequence, secrets, find(record, secrets)),
    }));
  }
  const showAll = (found: readonly NumberedRecord[], filter: ParsedFilter): JournalEntry[] =>
    show(found, filter).map(({ entry }) => entry);

  const observers = new Set<ExchangeObserver>();
  let restarts = 0;
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
    isOff: ring.isOff,
    recordAt: ring.at,
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
      return ndjsonOf(show(select(filter), filter));
    },
    toHar(given = {}) {
      const { filter, baseUrl } = readHarFilter(given);
      return harOf(show(select(filter), filter), harBaseUrl(baseUrl));
    },
    waitFor,
    observe(observer) {
      // An observer that is added twice is called twice.
      const own: typeof observer = (record) => observer(record);
      observers.add(own);
      return () => void observers.delete(own);
    },
    records() {
      const first = oldestKept();
      const all = Array.from({ length: ring.kept }, (_, index) => ring.at(first + index));
      return { first, records: all.filter((record) => record !== undefined) };
    },
    get restarts(): number {
      return restarts;
    },
    clear() {
      ring.clear();
      restarts += 1;
    },
    restart() {
      ring.restart();
      restarts += 1;
    },
    share: ring.share,
  };
}

/** One line of JSON for each entry, with the settings of the world that answered in `world`. */
export function ndjsonOf(shown: readonly ShownRecord[]): string {
  return shown
    .map(({ entry, record }) => `${JSON.stringify({ ...entry, world: record.world })}\n`)
    .join("");
}
