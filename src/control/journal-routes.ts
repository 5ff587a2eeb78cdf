/** The journal over HTTP, with its filter as query parameters, in several formats. The journal itself filters. */

import { curlOfRequest } from "../audit/nearest/curl-of-request.ts";
import { InputError } from "../base/input.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { JournalFilter, Secrets } from "../journal/filter.ts";
import { harBaseUrl, harPieces } from "../journal/har.ts";
import { ndjsonPieces } from "../journal/journal.ts";
import type { Work } from "../spec/work.ts";
import { entryOf } from "./history-routes.ts";
import { baseUrlOf, choiceOf, integerOf, type Query } from "./input.ts";
import { listPieces } from "./list-pieces.ts";
import type { ControlCall, ControlRoute, Reply } from "./route.ts";
import { stepOfEntry } from "./step-of-entry.ts";

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
  { method: "GET", path: "journal/:sequence", query: ["secrets"], answer: showOne },
  {
    method: "DELETE",
    path: "journal",
    answer({ world }) {
      world.journal.clear();
      return { kind: "nothing" };
    },
  },
];

function show({ world, query, header, prefix }: ControlCall): Reply {
  const { journal } = world;
  const format = choiceOf(query, "format", ["json", "ndjson", "har"]);
  const baseUrl = baseUrlOf(header("host"), prefix);
  const shown = journal.shown(filterIn(query));
  switch (format) {
    case "ndjson":
      return {
        kind: "pieces",
        contentType: "application/x-ndjson",
        pieces: ndjsonPieces(shown),
      };
    case "har":
      return { kind: "pieces", pieces: harPieces(shown, harBaseUrl(baseUrl)) };
    default: {
      const { total } = journal;
      const entries = mapped(shown, ({ entry }) => withBaseUrl(entry, baseUrl));
      return { kind: "pieces", pieces: listPieces("entries", entries, { total }) };
    }
  }
}

/** One entry, and how to send its request again. */
function* showOne(call: ControlCall): Work<Reply> {
  const { world, query, header, prefix } = call;
  const sequence = entryOf(call);
  const secrets = secretsIn(query) ?? "redacted";
  const player = yield* call.load("scenarios");
  const [found] =
    sequence === 0 ? [] : world.journal.shown({ after: sequence - 1, limit: 1, secrets });
  if (found?.entry.sequence !== sequence) {
    throw new InputError(
      "sequence",
      "is not the number of an entry that the journal keeps",
      "not-found",
    );
  }
  const { record } = found;
  const baseUrl = baseUrlOf(header("host"), prefix);
  const value = {
    entry: withBaseUrl(found.entry, baseUrl),
    curl: curlOfRequest(record, { baseUrl, secrets }),
    ...stepOfEntry(world, { record, sequence }, player?.check),
  };
  return { kind: "json", value };
}

function* mapped<From, To>(items: Iterable<From>, map: (item: From) => To): Generator<To> {
  for (const item of items) yield map(item);
}

/** Converts text to numbers and booleans. The journal checks the values, under the same names. */
function filterIn(query: Query): JournalFilter {
  const unmatched = choiceOf(query, "unmatched", ["true", "false"]);
  return {
    // The journal checks it.
    operation: query.get("operation") as JournalFilter["operation"],
    publisher: query.get("publisher"),
    status: integerOf(query, "status", { minimum: 0, maximum: 599 }),
    from: query.get("from"),
    until: query.get("until"),
    fault: query.get("fault"),
    unmatched: unmatched === undefined ? undefined : unmatched === "true",
    after: integerOf(query, "after", { minimum: 0 }),
    limit: integerOf(query, "limit", { minimum: 1 }),
    secrets: secretsIn(query),
  };
}

function secretsIn(query: Query): Secrets | undefined {
  return choiceOf(query, "secrets", ["shown", "redacted"]);
}

/** Replaces the environment variable in the command to paste with the known address. */
function withBaseUrl(entry: JournalEntry, baseUrl: string | undefined): JournalEntry {
  const { nearest } = entry;
  if (nearest === undefined || baseUrl === undefined) return entry;
  const paste = nearest.paste.replaceAll('"$ADSIM_URL/', `"${baseUrl}/`);
  return { ...entry, nearest: { ...nearest, paste } };
}
