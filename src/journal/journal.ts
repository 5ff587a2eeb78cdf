/** What happened: the latest requests with their answers and the reason for each, in a ring. */

import * as v from "valibot";
import type { AssumptionKey } from "../assumptions/catalogue.ts";
import { formatInstant } from "../base/calendar.ts";
import { parseInput } from "../base/input.ts";
import { putTogether } from "../base/text.ts";
import { type ApiResponse, noResponse } from "../contract/messages.ts";
import { type OperationId, operations } from "../contract/operations.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import type { JournalRecord } from "./record.ts";

/** A request with its answer. Keys are left out of it. */
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
  };
  /** What the client got: status 0 where a rule left it without a response, and where broken off only what came. */
  readonly response: Omit<ApiResponse, "delivery">;
  /** Who made the answer: the service, its request limit, or a fault rule in its place. */
  readonly producedBy: "service" | "limit" | "rule";
  /** What a fault rule did to it; undefined where none did anything. */
  readonly fault: JournalFault | undefined;
  /** Why the answer is what it is: what was done, or the error's code. */
  readonly reason: string;
  /** The open points of the spec that shaped the answer, or that the spec alone did. */
  readonly assumptions: readonly AssumptionKey[] | "documented";
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
  /** How much of its response the client got. A second application's never reaches it. */
  readonly received: "whole" | "part" | "nothing";
  /** The service's own answer, where the client didn't get it whole. */
  readonly lost: Omit<ApiResponse, "delivery"> | undefined;
}

/** Which entries to give: all conditions hold. `limit`: the latest that many. */
export interface JournalFilter {
  readonly operation?: OperationId | undefined;
  readonly publisher?: string | undefined;
  readonly status?: number | undefined;
  readonly limit?: number | undefined;
}

const operationIds = Object.values(operations).map(({ id }) => id);
const wholeNumber = v.pipe(
  v.number("must be a whole number"),
  v.safeInteger("must be a whole number"),
);
const filterSchema = v.strictObject({
  operation: v.optional(v.picklist(operationIds, `must be one of ${operationIds.join(", ")}`)),
  publisher: v.optional(v.string()),
  status: v.optional(wholeNumber),
  limit: v.optional(v.pipe(wholeNumber, v.minValue(1, "must be at least 1"))),
});

/** A world's journal. */
export interface Journal {
  /** The entries kept, oldest first. @throws InputError for a filter that isn't one. */
  entries(filter?: JournalFilter): JournalEntry[];
  /** Forgets all entries; numbering goes on. */
  clear(): void;
  /** How many requests were journalled since the world began, those forgotten included. */
  readonly total: number;
}

export interface JournalRing extends Journal {
  record(entry: JournalRecord): void;
  /** What is kept, oldest first, keys and all; `first` is the sequence of the oldest. */
  records(): { readonly first: number; readonly records: readonly JournalRecord[] };
  /** Forgets everything, the numbering included. */
  restart(): void;
}

/** How much a journal keeps at most, in characters of requests and response bodies. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** What a header field takes beside its text, in characters: a head of 32 KiB can hold thousands that have next to none. */
const FIELD_CHARACTERS = 64;

/** A journal of the latest `capacity` requests; `capacity` 0 keeps none. */
export function createJournal(capacity: number): JournalRing {
  // Entry `n` is at place `(n - first) % capacity`, where `first` is the number of the first entry after a clear.
  let ring: JournalRecord[] = [];
  // Beside the ring, since an old entry is far from the processor: only its place is touched when it goes.
  let sizes: number[] = [];
  let first = 0;
  let total = 0;
  let kept = 0;
  let characters = 0;

  function dropOldest(): void {
    characters -= sizes[(total - kept - first) % capacity] ?? 0;
    kept -= 1;
  }

  function clear(): void {
    ring = [];
    sizes = [];
    first = total;
    kept = 0;
    characters = 0;
  }

  return {
    get total(): number {
      return total;
    },
    record(entry) {
      if (capacity > 0) {
        if (kept === capacity) dropOldest();
        putTogether(entry.response.body);
        const place = (total - first) % capacity;
        const size = sizeOf(entry);
        ring[place] = entry;
        sizes[place] = size;
        kept += 1;
        characters += size;
      }
      total += 1;
      while (characters > MAX_CHARACTERS && kept > 1) {
        // Its place may not be needed for long: let go of what it holds.
        ring[(total - kept - first) % capacity] = forgotten;
        dropOldest();
      }
    },
    entries(wanted = {}) {
      const filter = parseInput(filterSchema, wanted);
      const found: JournalEntry[] = [];
      const limit = filter.limit ?? Number.POSITIVE_INFINITY;
      for (let back = 1; back <= kept && found.length < limit; back += 1) {
        const entry = ring[(total - back - first) % capacity];
        if (entry === undefined || !matches(entry, filter)) continue;
        found.push(shown(entry, total - back + 1));
      }
      return found.reverse();
    },
    records() {
      const oldest = total - kept;
      const place = (oldest - first) % capacity;
      // The ring is no longer than what is kept until it has gone round once.
      const records = kept === 0 ? [] : [...ring.slice(place), ...ring.slice(0, place)];
      return { first: oldest + 1, records: records.slice(0, kept) };
    },
    clear,
    restart() {
      total = 0;
      clear();
    },
  };
}

const forgotten: JournalRecord = {
  nowMs: 0,
  method: "",
  path: "",
  query: "",
  headers: {},
  body: "",
  operation: undefined,
  publisher: undefined,
  response: noResponse,
  producedBy: "service",
  fault: undefined,
  reason: "",
  shapedBy: [],
};

function sizeOf({ path, query, headers, body, response }: JournalRecord): number {
  let characters = path.length + query.length + body.length + response.body.length;
  for (const name in headers) {
    characters += FIELD_CHARACTERS + name.length + (headers[name]?.length ?? 0);
  }
  return characters;
}

function matches(entry: JournalRecord, filter: JournalFilter): boolean {
  return (
    (filter.operation === undefined || filter.operation === entry.operation) &&
    (filter.publisher === undefined || filter.publisher === entry.publisher) &&
    (filter.status === undefined || filter.status === entry.response.status)
  );
}

/** A record as users see it: without keys. */
export function shown(entry: JournalRecord, sequence: number): JournalEntry {
  return {
    sequence,
    at: formatInstant(entry.nowMs),
    operation: entry.operation,
    publisher: entry.publisher,
    request: {
      method: withoutKeys(entry.method),
      path: withoutKeys(entry.path),
      query: withoutKeys(entry.query),
      headers: Object.fromEntries(
        Object.entries(entry.headers).map(([name, value]) => [
          withoutKeys(name.toLowerCase()),
          name.toLowerCase() === "authorization" ? "(redacted)" : withoutKeys(value),
        ]),
      ),
      body: withoutKeys(
        typeof entry.body === "string" ? entry.body : new TextDecoder().decode(entry.body),
      ),
    },
    response: shownResponse(entry.response),
    producedBy: entry.producedBy,
    fault: entry.fault && {
      ...entry.fault,
      lost: entry.fault.lost && shownResponse(entry.fault.lost),
    },
    reason: entry.reason,
    assumptions: entry.shapedBy.length === 0 ? "documented" : [...entry.shapedBy],
  };
}

function shownResponse({ status, headers, body }: ApiResponse): JournalEntry["response"] {
  // A redirect repeats the query.
  const shownHeaders = Object.entries(headers).map(([name, value]) => [name, withoutKeys(value)]);
  return { status, headers: Object.fromEntries(shownHeaders), body };
}

/** A key in the wrong place is still a key, and so is one in another spelling. */
function withoutKeys(text: string): string {
  return text.replaceAll(anyKey, "(redacted)");
}

// A character as it is, percent-encoded (its percent sign too, as often as it may be), or escaped in JSON.
const encoded = "(?:%(?:25)*|\\\\u00)";
const anyKey: RegExp = new RegExp(
  `(?:k|${encoded}[46]b)(?:e|${encoded}[46]5)(?:y|${encoded}[57]9)(?:_|${encoded}5f)` +
    `(?:[0-9a-z]|${encoded}(?:3[0-9]|[46][1-9a-f]|[57][0-9a])){13}`,
  "gi",
);
