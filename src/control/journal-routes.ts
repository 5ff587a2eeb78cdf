/** The journal over HTTP, with its filter as query parameters, in several formats. The journal itself filters. */

import { curlOfRequest } from "../audit/nearest/curl.ts";
import { InputError } from "../base/input.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { JournalFilter, Secrets } from "../journal/filter.ts";
import { harOf } from "../journal/har.ts";
import { ndjsonOf } from "../journal/journal.ts";
import type { MaybeLater } from "../simulator/worlds.ts";
import { sequenceIn } from "./history-routes.ts";
import { baseUrlOf, choiceOf, integerOf, type Query } from "./input.ts";
import type { ControlCall, ControlRoute, Reply, ScenarioPlayer } from "./route.ts";
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
      return { kind: "text", contentType: "application/x-ndjson", text: ndjsonOf(shown) };
    case "har":
      return {
        kind: "text",
        contentType: "application/json",
        text: harOf(shown, baseUrl),
      };
    default: {
      const { total } = journal;
      const entries = shown.map(({ entry }) => withBaseUrl(entry, baseUrl));
      return { kind: "json", value: { entries, total } };
    }
  }
}

function showOne(call: ControlCall): MaybeLater<Reply> {
  const { modules } = call;
  if (modules.scenarios === undefined) return entryWithStep(call);
  return modules.scenarios().then(({ check }) => entryWithStep(call, check));
}

/** One entry, and how to send its request again. */
function entryWithStep(call: ControlCall, check?: ScenarioPlayer["check"]): Reply {
  const { world, query, header, prefix } = call;
  const sequence = sequenceIn(call);
  const secrets = secretsIn(query) ?? "redacted";
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
    ...stepOfEntry(world, { record, sequence }, check),
  };
  return { kind: "json", value };
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
  const paste = nearest.paste.replaceAll('"$ADSIM_URL"\'', `'${baseUrl}`);
  return { ...entry, nearest: { ...nearest, paste } };
}
