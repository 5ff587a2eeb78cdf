/** The journal of a world: its log, whose exchanges users see as entries. */

import { type ApiResponse, copyOfResponse } from "../spec/messages.ts";
import type { JournalEntry, Nearest } from "./entry.ts";
import {
  type HarFilter,
  type JournalFilter,
  type ParsedFilter,
  parseFilter,
  parseWait,
  type Secrets,
} from "./filter.ts";
import { harOf } from "./har.ts";
import { type ExchangeItem, Log } from "./log.ts";
import type { JournalRecord, ShownRecord } from "./record.ts";
import { shownEntry } from "./shown-entry.ts";

/** Gets an entry as it is right after the answer, with redacted headers, and without `nearest`. */
export type ExchangeObserver = (entry: JournalEntry) => void;

/** A world's journal. Methods that take a filter throw {@link InputError} if it is invalid. */
export type Journal = Readonly<
  Pick<
    WorldJournal,
    "entries" | "toNdjson" | "toHar" | "waitFor" | "observe" | "clear" | "total" | "kept"
  >
>;

/** Explains unknown names and ids. */
export type NearestFinder = (record: JournalRecord, secrets: Secrets) => Nearest | undefined;

/** The journal as the simulator needs it. What users call are fields, so that they can detach it. */
export class WorldJournal extends Log {
  readonly #nearest: NearestFinder;
  readonly #followers = new Set<(item: ExchangeItem) => void>();

  /** `capacity`: how many requests it keeps; 0 turns it off. */
  constructor(capacity: number, nearest: NearestFinder) {
    super(capacity);
    this.#nearest = nearest;
  }

  /** Keeps the record with a copy of its response. @returns the original response, which the caller may change. */
  record(record: JournalRecord): ApiResponse {
    const { response } = record;
    const isUsed = this.capacity > 0 || this.#followers.size > 0;
    if (isUsed) record.response = copyOfResponse(response);
    const item = this.add(record);
    for (const notify of this.#followers) notify(item);
    return response;
  }

  /** Calls back with every exchange from now on. @returns a function that ends this. */
  follow(notify: (item: ExchangeItem) => void): () => void {
    // One that is added twice is called twice.
    const own: typeof notify = (item) => notify(item);
    this.#followers.add(own);
    return () => void this.#followers.delete(own);
  }

  /**
   * Calls the observer after each answer from now on, even if the journal keeps no entries. It must not throw.
   *
   * @returns a function that removes the observer.
   */
  readonly observe = (observer: ExchangeObserver): (() => void) =>
    this.follow(({ record, sequence }) => observer(shownEntry(record, sequence)));

  /** The matching entries, oldest first. */
  readonly entries = (filter?: JournalFilter): JournalEntry[] =>
    this.shown(filter).map(({ entry }) => entry);

  /** The entries as NDJSON. Each line has an entry, and in `world` the settings of the world that answered. */
  readonly toNdjson = (filter?: JournalFilter): string => ndjsonOf(this.shown(filter));

  /**
   * The entries as an HTTP Archive (HAR 1.2) for browsers and other viewers. The `_adsim` of each entry has what the format
   * has no member for. @throws InputError for an invalid base URL.
   */
  readonly toHar = ({ baseUrl, ...filter }: HarFilter = {}): string =>
    harOf(this.shown(filter), baseUrl);

  /** The matching entries with their records. */
  readonly shown = (given: JournalFilter = {}): ShownRecord[] => {
    const filter = parseFilter(given);
    return this.#show(filter.limited(this.exchanges().filter(filter.matches)), filter);
  };

  /**
   * Resolves to the first `count` matching entries when they are recorded. Existing entries count, and so do those before a
   * reset. Without a signal, such as `{ signal: AbortSignal.timeout(1000) }`, it may wait forever.
   *
   * @throws InputError (as a rejection) for invalid arguments; the signal's reason if it is aborted.
   */
  readonly waitFor = (
    wanted: Omit<JournalFilter, "limit"> = {},
    count = 1,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<JournalEntry[]> =>
    new Promise((resolve, reject) => {
      const { filter, signal } = parseWait(wanted, count, options);
      signal?.throwIfAborted();
      const found = this.exchanges().filter(filter.matches).slice(0, count);
      const stop = this.follow((item) => {
        if (filter.matches(item)) found.push(item);
        endIfFound();
      });
      const endIfFound = (): void => {
        if (found.length < count) return;
        stop();
        signal?.removeEventListener("abort", abort);
        resolve(this.#show(found, filter).map(({ entry }) => entry));
      };
      const abort = (): void => {
        stop();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      endIfFound();
    });

  #show(found: readonly ExchangeItem[], { secrets }: ParsedFilter): ShownRecord[] {
    return found.map(({ record, sequence }) => {
      const nearest = this.#nearest(record, secrets);
      return { record, entry: shownEntry(record, sequence, secrets, nearest) };
    });
  }
}

/** One line of JSON for each entry, with the settings of the world that answered in `world`. */
export function ndjsonOf(shown: readonly ShownRecord[]): string {
  return shown
    .map(({ entry, record }) => `${JSON.stringify({ ...entry, world: record.world })}\n`)
    .join("");
}
