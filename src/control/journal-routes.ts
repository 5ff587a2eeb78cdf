/** The journal: filtered, in several formats, and one entry with the ways to send its request again. */

import * as v from "valibot";
import { curlOfRequest } from "../audit/nearest/curl.ts";
import { InputError } from "../base/input.ts";
import { orUndefined } from "../base/text.ts";
import type { JournalFilter } from "../journal/filter.ts";
import { harOf } from "../journal/har.ts";
import { ndjsonOf } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { shownEntry } from "../journal/shown-entry.ts";
import { createRequestSteps } from "../play/scenario/request-step.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { sequenceIn } from "./history-routes.ts";
import { flag, wholeNumber } from "./read-request.ts";
import { json, text } from "./responses.ts";
import { type ControlRoute, route } from "./route.ts";

const secrets = v.picklist(["shown", "redacted"]);

/** The journal checks the values, under the same names. */
const filter = {
  operation: v.custom<JournalFilter["operation"]>(() => true),
  publisher: v.string(),
  status: wholeNumber,
  from: v.string(),
  until: v.string(),
  fault: v.string(),
  unmatched: flag,
  after: wholeNumber,
  limit: wholeNumber,
  secrets,
  format: v.picklist(["json", "ndjson", "har"]),
};

export const journalRoutes: readonly ControlRoute[] = [
  route("GET journal", { query: filter }, ({ world, query, baseUrl }) => {
    const { format, ...conditions } = query;
    const shown = world.journal.shown(conditions);
    if (format === "ndjson") return text("application/x-ndjson", ndjsonOf(shown));
    if (format === "har") return text("application/json", harOf(shown, baseUrl));
    return json({ entries: shown.map(({ entry }) => entry), total: world.journal.total });
  }),
  route("GET journal/:sequence", { query: { secrets } }, (call) => {
    const { world, baseUrl, query } = call;
    const { secrets = "redacted" } = query;
    const sequence = sequenceIn(call);
    const [found] = world.journal.shown({ after: Math.max(0, sequence - 1), limit: 1, secrets });
    if (found?.entry.sequence !== sequence) {
      const expected = "is not the number of an entry that the journal keeps";
      throw new InputError("sequence", expected, "not-found");
    }
    const { record, entry } = found;
    const curl = curlOfRequest(record, { baseUrl, secrets });
    // No scenario can send a body that isn't UTF-8.
    const step = entry.request.bodyBase64 === undefined ? stepOf(world, record, sequence) : null;
    return json({ entry, curl, step });
  }),
  route("DELETE journal", {}, ({ world }) => void world.journal.clear()),
];

/**
 * A step of a scenario that sends the same request in any world, and expects the status that the client got. Keys are left out:
 * it sends that of its publisher.
 */
function stepOf({ publishers }: SimulatorCore, record: JournalRecord, sequence: number) {
  const entry = shownEntry(record, sequence, "shown");
  const known = orUndefined(() => publishers.get(record.publisher ?? ""));
  const sender = known ?? publishers.at(0);
  // Another world has no publisher that signed up. The first one sends for it.
  const ref = sender.ordinal < record.world.publishers ? sender.ordinal : 0;
  // A key that worked then may have been replaced since.
  const sentKey = /^\S+ +(\S+)$/.exec(entry.request.headers.authorization ?? "")?.[1];
  const apiKey = (known && sentKey) ?? sender.apiKey;
  const publisher = { ...sender, ref, apiKey };
  return createRequestSteps([entry], [publisher]).stepOf(entry, publisher);
}
