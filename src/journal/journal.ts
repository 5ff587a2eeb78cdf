/** The journal of a world: the latest requests, each with its answer and the reason for it. */

import { type ApiResponse, copyOfResponse } from "../spec/messages.ts";
import type { JournalEntry, Nearest } from "./entry.ts";
import {
  type HarFilter,
  type JournalFilter,
  type ParsedFilter,
  parseFilter,
  type Secrets,
} from "./filter.ts";
import { harBaseUrl, harOf } from "./har.ts";
import { type ExchangeItem, Log } from "./log.ts";
import type { JournalRecord, ShownRecord } from "./record.ts";
import { shownEntry } from "./shown-entry.ts";
import { createWaitFor, type WaitFor } from "./wait-for.ts";

/** Gets an entry as it is right after the answer, with redacted headers, and without `nearest`. */
export type ExchangeObserver = (entry: JournalEntry) => void;

/** A world's journal. Methods that take a filter throw {@link InputError} if it is invalid. */
export type Journal = Pick<
  WorldJournal,
  "entries" | "toNdjson" | "toHar" | "waitFor" | "observe" | "clear" | "total" | "kept"
>;

/** Explains unknown names and ids. Made for each listing, so that it may keep what it computes. */
export type NearestFinder = () => (record: JournalRecord, secrets: Secrets) => Nearest | undefined;

/** The journal as the simulator needs it. What users call are fields, so that they can detach it. */
export class WorldJournal {
  /** The exchanges, and what was done by hand between them. */
  readonly log: Log;
  readonly waitFor: WaitFor;
  readonly #nearest: NearestFinder;
  readonly #followers = new Set<(item: ExchangeItem) => void>();
  /** Grows when entries are dropped at once: by `clear` and `restart`. */
  restarts = 0;

  /** `capacity`: how many requests it keeps; 0 turns it off. */
  constructor(capacity: number, nearest: NearestFinder) {
    this.log = new Log(capacity);
    this.#nearest = nearest;
    this.waitFor = createWaitFor({
      select: (filter) => this.#select(filter),
      show: (found, filter) => entriesOf(this.#show(found, filter)),
      follow: (notify) => this.follow(notify),
    });
  }

  /** How many requests were recorded since the world began, including dropped ones. */
  get total(): number {
    return this.log.total;
  }

  /** How many entries the journal has now. */
  get kept(): number {
    return this.log.kept;
  }

  /** Records the entry with a copy of its response. @returns the original response, which the caller may change. */
  record(entry: JournalRecord): ApiResponse {
    const { response } = entry;
    const isUsed = this.log.capacity > 0 || this.#followers.size > 0;
    if (isUsed) entry.response = copyOfResponse(response);
    const item = this.log.add(entry);
    for (const notify of this.#followers) notify(item);
    return response;
  }

  /** The matching entries with their records. */
  readonly shown = (given: JournalFilter = {}): ShownRecord[] => {
    const filter = parseFilter(given);
    return this.#show(this.#select(filter), filter);
  };

  /** The matching entries, oldest first. */
  readonly entries = (given?: JournalFilter): JournalEntry[] => entriesOf(this.shown(given));

  /** The entries as NDJSON. Each line has an entry, and in `world` the settings of the world that answered. */
  readonly toNdjson = (given?: JournalFilter): string => ndjsonOf(this.shown(given));

  /**
   * The entries as an HTTP Archive (HAR 1.2) for browsers and other viewers. The `_adsim` of each entry has what the format
   * has no member for. @throws InputError for an invalid base URL.
   */
  readonly toHar = ({ baseUrl, ...filter }: HarFilter = {}): string =>
    harOf(this.shown(filter), harBaseUrl(baseUrl));

  /**
   * Calls the observer after each answer from now on, even if the journal keeps no entries. It must not throw.
   *
   * @returns a function that removes the observer.
   */
  readonly observe = (observer: ExchangeObserver): (() => void) =>
    this.follow(({ record, sequence }) => observer(shownEntry(record, sequence)));

  /** Drops all entries. Numbering continues. */
  readonly clear = (): void => {
    this.log.clear();
    this.restarts += 1;
  };

  /** Drops everything and restarts the numbering. */
  restart(): void {
    this.log.restart();
    this.restarts += 1;
  }

  #select({ matches, limited }: ParsedFilter): readonly ExchangeItem[] {
    return limited(this.log.exchanges().filter(matches));
  }

  #show(found: readonly ExchangeItem[], { secrets }: ParsedFilter): ShownRecord[] {
    const find = this.#nearest();
    return found.map(({ record, sequence }) => {
      return { record, entry: shownEntry(record, sequence, secrets, find(record, secrets)) };
    });
  }

  /** Calls back with every exchange from now on. @returns a function that ends this. */
  follow(notify: (item: ExchangeItem) => void): () => void {
    // One that is added twice is called twice.
    const own: typeof notify = (item) => notify(item);
    this.#followers.add(own);
    return () => void this.#followers.delete(own);
  }
}

function entriesOf(shown: readonly ShownRecord[]): JournalEntry[] {
  return shown.map(({ entry }) => entry);
}

/** One line of JSON for each entry, with the settings of the world that answered in `world`. */
export function ndjsonOf(shown: readonly ShownRecord[]): string {
  return shown
    .map(({ entry, record }) => `${JSON.stringify({ ...entry, world: record.world })}\n`)
    .join("");
}
