/** The journal over HTTP: its filter as query parameters, and its forms. What fits a condition the journal decides. */

import type { JournalEntry } from "../journal/entry.ts";
import type { JournalFilter } from "../journal/filter.ts";
import { harBaseUrl, harPieces } from "../journal/har.ts";
import { ndjsonPieces } from "../journal/journal.ts";
import { choiceOf, integerOf, type Query } from "./input.ts";
import { listPieces } from "./list-pieces.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";

const journalQuery: readonly string[] = [
  "operation",
  "publisher",
  "status",
  "from",
  "until",
  "fault",
  "unmatched",
  "after",
  "limit",
  "secrets",
  "format",
];

export const journalRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "journal", query: journalQuery, answer: show },
  {
    method: "DELETE",
    path: "journal",
    answer({ world }) {
      world.journal.clear();
      return { kind: "nothing" };
    },
  },
];

const LAST_NUMBER = Number.MAX_SAFE_INTEGER;

function show({ world, query, host, prefix }: ControlCall): Reply {
  const { journal } = world;
  const format = choiceOf(query, "format", ["json", "ndjson", "har"]);
  const baseUrl = baseUrlOf(host, prefix);
  const shown = journal.shown(filterIn(query));
  const contentType = format === "ndjson" ? "application/x-ndjson" : "application/json";
  switch (format) {
    case "ndjson":
      return { kind: "pieces", contentType, pieces: ndjsonPieces(shown) };
    case "har":
      return { kind: "pieces", contentType, pieces: harPieces(shown, harBaseUrl(baseUrl)) };
    default: {
      const { total } = journal;
      const entries = mapped(shown, ({ entry }) => withBaseUrl(entry, baseUrl));
      return { kind: "pieces", contentType, pieces: listPieces("entries", entries, { total }) };
    }
  }
}

function* mapped<From, To>(items: Iterable<From>, map: (item: From) => To): Generator<To> {
  for (const item of items) yield map(item);
}

/** Text becomes a number or a boolean here; the journal refuses what it can't use, by the same names. */
function filterIn(query: Query): JournalFilter {
  const unmatched = choiceOf(query, "unmatched", ["true", "false"]);
  return {
    // The journal knows the operations.
    operation: query.get("operation") as JournalFilter["operation"],
    publisher: query.get("publisher"),
    status: integerOf(query, "status", { minimum: 0, maximum: 599 }),
    from: query.get("from"),
    until: query.get("until"),
    fault: query.get("fault"),
    unmatched: unmatched === undefined ? undefined : unmatched === "true",
    after: integerOf(query, "after", { minimum: 0, maximum: LAST_NUMBER }),
    limit: integerOf(query, "limit", { minimum: 1, maximum: LAST_NUMBER }),
    secrets: choiceOf(query, "secrets", ["shown", "redacted"]),
  };
}

/** Where the world was called; undefined for what could be more to a shell than an address. */
function baseUrlOf(host: string | undefined, prefix: string): string | undefined {
  if (host === undefined || !/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?$/.test(host)) {
    return undefined;
  }
  const baseUrl = `http://${host}${prefix}`;
  return URL.canParse(baseUrl) ? baseUrl : undefined;
}

/** The line to paste needs no environment for what is known here. */
function withBaseUrl(entry: JournalEntry, baseUrl: string | undefined): JournalEntry {
  const { nearest } = entry;
  if (nearest === undefined || baseUrl === undefined) return entry;
  const paste = nearest.paste.replaceAll('"$ADSIM_URL/', `"${baseUrl}/`);
  return { ...entry, nearest: { ...nearest, paste } };
}
