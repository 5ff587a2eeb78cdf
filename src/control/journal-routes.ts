/** The journal: filtered, in several formats, and one entry with the ways to send its request again. */

import * as v from "valibot";
import { curlOfRequest } from "../audit/nearest/curl.ts";
import { InputError } from "../base/input.ts";
import { orUndefined, utf8Text } from "../base/text.ts";
import { type JournalEntry, valuesOf } from "../journal/entry.ts";
import type { JournalFilter } from "../journal/filter.ts";
import { harOf } from "../journal/har.ts";
import { ndjsonOf } from "../journal/journal.ts";
import type { ExchangeItem } from "../journal/log.ts";
import { shownEntry } from "../journal/shown-entry.ts";
import { createRequestSteps } from "../play/scenario/request-step.ts";
import type { RequestStep } from "../play/scenario/types.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { sequenceIn } from "./history-routes.ts";
import { flag, wholeNumber } from "./read-request.ts";
import { json, text } from "./responses.ts";
import { type ControlCall, type ControlRoute, route, type ScenarioPlayer } from "./route.ts";

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
    const entries = shown.map(({ entry }) => withBaseUrl(entry, baseUrl));
    return json({ entries, total: world.journal.total });
  }),
  route("GET journal/:sequence", { query: { secrets } }, async (call) =>
    showEntry(call, await call.modules.scenarios(), call.query.secrets),
  ),
  route("DELETE journal", {}, ({ world }) => void world.journal.clear()),
];

function showEntry(
  call: ControlCall,
  { check }: ScenarioPlayer,
  secrets: "shown" | "redacted" = "redacted",
): ApiResponse {
  const { world, baseUrl } = call;
  const sequence = sequenceIn(call);
  const filter = { after: Math.max(0, sequence - 1), limit: 1, secrets };
  const [found] = world.journal.shown(filter);
  if (found?.entry.sequence !== sequence) {
    const expected = "is not the number of an entry that the journal keeps";
    throw new InputError("sequence", expected, "not-found");
  }
  const { record } = found;
  return json({
    entry: withBaseUrl(found.entry, baseUrl),
    curl: curlOfRequest(record, { baseUrl, secrets }),
    ...stepOfEntry(world, { record, sequence }, check),
  });
}

/** Replaces the environment variable in the command to paste with the known address. */
function withBaseUrl(entry: JournalEntry, baseUrl: string | undefined): JournalEntry {
  const { nearest } = entry;
  if (nearest === undefined || baseUrl === undefined) return entry;
  const paste = nearest.paste.replaceAll('"$ADSIM_URL"\'', `'${baseUrl}`);
  return { ...entry, nearest: { ...nearest, paste } };
}

/** An entry as a step of a scenario, which sends the same request in any world. */
export interface StepOfEntry {
  /** Null if no scenario can send the request. */
  readonly step: RequestStep | null;
  readonly whyNoStep?: string;
}

type Entry = Pick<ExchangeItem, "record" | "sequence">;

function stepOfEntry(
  world: SimulatorCore,
  entry: Entry,
  check: ScenarioPlayer["check"],
): StepOfEntry {
  if (utf8Text(entry.record.body) === undefined) {
    return { step: null, whyNoStep: "The body isn't UTF-8, which a scenario can't send." };
  }
  const step = uncheckedStep(world, entry);
  const { publishers } = entry.record.world;
  try {
    check({ name: "step", about: "A step.", publishers, steps: [step] });
    return { step };
  } catch (error) {
    if (error instanceof InputError) return { step: null, whyNoStep: error.message };
    throw error;
  }
}

/** It expects the status that the client got. Keys are left out: it sends that of its publisher. */
function uncheckedStep({ publishers }: SimulatorCore, { record, sequence }: Entry): RequestStep {
  const entry = shownEntry(record, sequence, "shown");
  const sender =
    orUndefined(() => publishers.get(record.publisher ?? "")) ??
    orUndefined(() => publishers.get(valuesOf(entry.request).get("publisher_id") ?? "")) ??
    publishers.at(0);
  const [, sentKey] = /^\S+ +(\S+)$/.exec(entry.request.headers.authorization ?? "") ?? [];
  // A key that worked then may have been replaced since.
  const apiKey = (record.publisher === undefined ? undefined : sentKey) ?? sender.apiKey;
  const isSeeded = sender.ordinal < record.world.publishers;
  // In another world, a seeded publisher has to send for one that signed up.
  const ref = isSeeded ? sender.ordinal : 0;
  const surfaces = sender.surfaces.slice(0, publishers.at(ref).surfaces.length);
  const publisher = { ref, id: sender.id, apiKey, surfaces };
  const step = createRequestSteps([entry], [publisher]).stepOf(entry, publisher);
  return isSeeded ? step : { ...step, note: `Sent by ${sender.id}, who had signed up.` };
}
