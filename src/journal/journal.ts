/** The journal of a world: the latest requests, each with its answer and the reason for it. */

import { type ApiResponse, copyOfResponse } from "../spec/messages.ts";
import type { JournalEntry, Nearest } from "./entry.ts";
import {
  type HarFilter,
  type JournalFilter,
  parseFilter,
  readHarFilter,
  type Secrets,
} from "./filter.ts";
import { harBaseUrl, harOf } from "./har.ts";
import { type ExchangeItem, Log } from "./log.ts";
import type { JournalRecord, ShownRecord } from "./record.ts";
import { shownEntry } from "./shown-entry.ts";
import { createWaitFor, type WaitedFor, type WaitFor } from "./wait-for.ts";

/** Gets an entry as it is right after the answer, with redacted headers, and without `nearest`. */
export type ExchangeObserver = (entry: JournalEntry) => void;

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

/** The journal as the simulator needs it. */
export interface JournalRing extends Journal {
  /** The exchanges, and what was done by hand between them. */
  readonly log: Log;
  /** Records the entry with a copy of its response. @returns the original response, which the caller may change. */
  record(entry: JournalRecord): ApiResponse;
  /** The entries of {@link Journal.entries} with their records. */
  shown(filter?: JournalFilter): ShownRecord[];
  /** Drops everything and restarts the numbering. */
  restart(): void;
  /** Grows when entries are dropped at once: by `clear` and `restart`. */
  readonly restarts: number;
  share: Log["share"];
}

/** Explains unknown names and ids. Created for each listing, so that a finder may cache what it computes. */
export type NearestFinder = () => (record: JournalRecord, secrets: Secrets) => Nearest | undefined;

export interface JournalOptions {
  /** How many requests the journal keeps; 0 turns it off. */
  readonly entries: number;
  readonly nearest: NearestFinder;
}

export function createJournal({ entries, nearest }: JournalOptions): JournalRing {
  const log = new Log(entries);
  const followers = new Set<(item: ExchangeItem) => void>();
  let restarts = 0;

  const select: WaitedFor["select"] = ({ first, matches, limited }) =>
    limited(log.exchanges(first).filter(({ record }) => matches(record)));
  const show: WaitedFor["show"] = (found, filter) =>
    withRecords(found, filter).map(({ entry }) => entry);
  const follow: WaitedFor["follow"] = (notify) => {
    // One that is added twice is called twice.
    const own: typeof notify = (item) => notify(item);
    followers.add(own);
    return () => void followers.delete(own);
  };
  function withRecords(found: readonly ExchangeItem[], { secrets }: { secrets: Secrets }) {
    const find = nearest();
    return found.map(({ record, sequence }): ShownRecord => {
      return { record, entry: shownEntry(record, sequence, secrets, find(record, secrets)) };
    });
  }
  function shown(given: JournalFilter = {}): ShownRecord[] {
    const filter = parseFilter(given);
    return withRecords(select(filter), filter);
  }

  return {
    log,
    get total(): number {
      return log.total;
    },
    get kept(): number {
      return log.kept;
    },
    get restarts(): number {
      return restarts;
    },
    record(entry) {
      const { response } = entry;
      if (log.capacity > 0 || followers.size > 0) entry.response = copyOfResponse(response);
      const item = log.add(entry);
      for (const notify of followers) notify(item);
      return response;
    },
    shown,
    entries: (given) => shown(given).map(({ entry }) => entry),
    toNdjson: (given) => ndjsonOf(shown(given)),
    toHar(given = {}) {
      const { filter, baseUrl } = readHarFilter(given);
      return harOf(withRecords(select(filter), filter), harBaseUrl(baseUrl));
    },
    waitFor: createWaitFor({ select, show, follow }),
    observe: (observer) =>
      follow(({ record, sequence }) =>
        observer(shownEntry(record, sequence, "redacted", undefined)),
      ),
    share: (budget) => log.share(budget),
    clear() {
      log.clear();
      restarts += 1;
    },
    restart() {
      log.restart();
      restarts += 1;
    },
  };
}

/** One line of JSON for each entry, with the settings of the world that answered in `world`. */
export function ndjsonOf(shown: readonly ShownRecord[]): string {
  return shown
    .map(({ entry, record }) => `${JSON.stringify({ ...entry, world: record.world })}\n`)
    .join("");
}
