/** What happened: the latest requests with their answers and the reason for each, in a ring. */

import type { Received } from "../faults/plan.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { LimitClass } from "../spec/limits.ts";
import { type ApiResponse, copyOfResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { JournalBudget } from "./budget.ts";
import { type ReadFilter, readFilter, readHarFilter, type Secrets } from "./filter.ts";
import { harBaseUrl, harPieces } from "./har.ts";
import { type ExchangeObserver, join, tellAll } from "./logged-exchange.ts";
import type { JournalRecord, Producer } from "./record.ts";
import { createRecordRing, type RecordRing } from "./ring.ts";
import { shownEntry } from "./shown.ts";
import { createWaiters, type WaitFor } from "./wait-for.ts";

/** A request with its answer. Keys and UPI ids are left out of it, unless they were asked for. */
export interface JournalEntry {
  /** Counts all requests of the world, from 1. */
  readonly sequence: number;
  /** When, in ISO 8601 with milliseconds, on the world's clock. */
  readonly at: string;
  /** Undefined where no operation answers at the path. */
  readonly operation: OperationId | undefined;
  /** Id of the publisher whose key was sent; undefined without a valid key. */
  readonly publisher: string | undefined;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly headers: Readonly<Record<string, string>>;
    /** Text; bytes that are not UTF-8 are shown as U+FFFD. */
    readonly body: string;
    /** The bytes in base 64, where they are not UTF-8. */
    readonly bodyBase64?: string | undefined;
  };
  /** What the client got: status 0 where a rule left it without a response, and where broken off only what came. */
  readonly response: ShownResponse;
  readonly producedBy: Producer;
  /** Which request limit refused it (spec §8); undefined where none did. */
  readonly limit: LimitClass | undefined;
  /** What a fault rule did to it; undefined where none did anything. */
  readonly fault: JournalFault | undefined;
  /** Why the answer is what it is: what was done, or the error's code. */
  readonly reason: string;
  /** The open points of the spec that shaped the answer, or that the spec alone did. */
  readonly assumptions: readonly AssumptionKey[] | "documented";
  /** What would have been right, where the service knew no such path, method, key, publisher, surface or impression. */
  readonly nearest?: Nearest | undefined;
}

/** A response as the client got it. `bodyBase64`: the bytes, where they are not UTF-8. */
export type ShownResponse = Omit<ApiResponse, "delivery"> & {
  readonly bodyBase64?: string | undefined;
};

/** A miss explained, from the world as it is when the entry is shown. */
export interface Nearest {
  /** What was sent, as far as it may be repeated. */
  readonly sent: string;
  /** The closest thing that exists. */
  readonly closest: string;
  /**
   * A line for a POSIX shell that gets an answer, with the world's base URL in `ADSIM_URL` and a key in `ADSIM_API_KEY`:
   * the one that was sent where that is valid, else that of the publisher that `closest` names. Shown secrets stand in
   * the line as such.
   */
  readonly paste: string;
}

/** What a fault rule did to a request. */
export interface JournalFault {
  /** The id of the rule. */
  readonly rule: string;
  readonly kind: VerdictKind;
  /** How long the response was held back, in milliseconds of real time. */
  readonly delayMs: number;
  /** Whether the service did what was asked. */
  readonly served: boolean;
  /** 2 for the second time that a `duplicate` made the service do it: that entry follows the first. */
  readonly application: 1 | 2;
  /** How much of its response the client got. A second application's never reaches it. */
  readonly received: Received;
  /** The service's own answer, where the client didn't get it whole. */
  readonly lost: ShownResponse | undefined;
}

/** Which entries to give: all conditions hold. */
export interface JournalFilter {
  readonly operation?: OperationId | undefined;
  /** Id of the publisher whose key was sent. */
  readonly publisher?: string | undefined;
  /** What the client got; 0 where it got no response. */
  readonly status?: number | undefined;
  /** From this instant of the world's clock on, in ISO 8601. */
  readonly from?: string | undefined;
  /** Before this instant of the world's clock, in ISO 8601. */
  readonly until?: string | undefined;
  /** The id of a fault rule; `"any"` or `"none"`: whether any rule touched it. */
  readonly fault?: string | undefined;
  /** Whether no operation answers at the path and method. A preflight that was answered as one is matched. */
  readonly unmatched?: boolean | undefined;
  /** Only entries with a higher sequence. */
  readonly after?: number | undefined;
  /** The latest that many; with `after` the first that many behind it, so that one can read on. */
  readonly limit?: number | undefined;
  /** API keys, the Authorization header and UPI ids. @default "redacted" */
  readonly secrets?: Secrets | undefined;
}

export interface HarFilter extends JournalFilter {
  /** What the URLs of requests begin with. @default "http://adsim.invalid" */
  readonly baseUrl?: string | URL | undefined;
}

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
  takeOver(from: { readonly forgotten: number; readonly records: readonly JournalRecord[] }): void;
}

/** An entry beside the record that it was made from. */
export interface ShownRecord {
  readonly entry: JournalEntry;
  readonly record: JournalRecord;
}

/** A record with its number. */
export interface Kept {
  readonly record: JournalRecord;
  readonly sequence: number;
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
  function select(filter: ReadFilter): Kept[] {
    const found: Kept[] = [];
    const { total } = ring;
    const oldest = Math.max(filter.first, oldestKept());
    const step = filter.readsOn ? 1 : -1;
    let sequence = filter.readsOn ? oldest : total;
    while (sequence >= oldest && sequence <= total && found.length < filter.limit) {
      const record = ring.at(sequence);
      if (record !== undefined && filter.matches(record)) found.push({ record, sequence });
      sequence += step;
    }
    return filter.readsOn ? found : found.reverse();
  }

  /** Each is worked out when it is asked for. Which there are is decided at once. */
  function* show(found: readonly Kept[], { secrets }: ReadFilter): Generator<ShownRecord> {
    const find = nearest();
    for (const { record, sequence } of found) {
      yield { record, entry: shownEntry(record, sequence, secrets, find(record, secrets)) };
    }
  }
  const showAll = (found: readonly Kept[], filter: ReadFilter): JournalEntry[] =>
    Array.from(show(found, filter), ({ entry }) => entry);

  const observers = new Set<ExchangeObserver>();
  const { waiting, notify, waitFor } = createWaiters({ select, show: showAll });

  function record(entry: JournalRecord): ApiResponse {
    const { response } = entry;
    if (!ring.isOff || waiting.length !== 0) entry.response = copyOfResponse(response);
    ring.add(entry);
    if (observers.size !== 0) tellAll(observers, entry, ring.total);
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
    takeOver({ forgotten, records }) {
      ring.skip(forgotten);
      for (const one of records) record(one);
    },
    shown(given) {
      const filter = readFilter(given);
      return show(select(filter), filter);
    },
    entries(given = {}) {
      const filter = readFilter(given);
      return showAll(select(filter), filter);
    },
    toNdjson(given = {}) {
      const filter = readFilter(given);
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
