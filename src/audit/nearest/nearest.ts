/**
 * Explains a miss: what was sent, the closest thing that exists, and a command that succeeds. It runs when a journal entry
 * is shown, on the record and the current world, so requests don't pay for it.
 */

import { parseParameters, type RawParameters } from "../../exchange/parameters.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { World } from "../../exchange/world.ts";
import type { Nearest } from "../../journal/entry.ts";
import type { NearestFinder } from "../../journal/journal.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { type Operation, operations } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import { curlLine } from "./curl-line.ts";
import { type CurlRequestParts, curlRequestOf } from "./curl-request.ts";
import { createLookup, type Lookup } from "./lookup.ts";
import { nearestImpression, nearestPublisher, nearestSurface } from "./nearest-id.ts";
import { nearestKey } from "./nearest-key.ts";
import { nearestRoute } from "./nearest-route.ts";

/** `world` returns the current world. */
export function createNearestFinder(world: () => World): NearestFinder {
  return () => {
    let lookup: Lookup | undefined;
    return (record, secrets) => {
      if (record.producedBy !== "service") return undefined;
      const explain = explanations.get(record.reason);
      if (explain === undefined) return undefined;
      lookup ??= createLookup(world());
      const operation = operationOf(record);
      const raw = rawOf(record, operation);
      const { sent, closest, ...found } = explain(record, raw, lookup);
      const apiKey = secrets === "shown" ? found.account.apiKey : undefined;
      const target = curlRequestOf({ operation, raw, ...found, world: lookup.world });
      const encoding = lookup.world.assumptions["request.encoding"];
      return { sent, closest, paste: curlLine(target, { encoding, apiKey }) };
    };
  };
}

type Explanation = Omit<CurlRequestParts, "world" | "operation" | "raw"> &
  Partial<Pick<CurlRequestParts, "operation" | "raw">> &
  Omit<Nearest, "paste">;

/** `raw`: the parameters as they were sent. */
type Explain = (record: JournalRecord, raw: RawParameters, lookup: Lookup) => Explanation;

/** By the code of the refusal, because its status depends on the assumptions. */
const explanations: ReadonlyMap<string, Explain> = new Map([
  ["route_not_found", explainRoute],
  ["method_not_allowed", explainRoute],
  ["unauthorized", explainKey],
  ["publisher_not_found", explainPublisher],
  ["foreign_publisher", explainPublisher],
  ["surface_not_found", explainSurface],
  ["impression_not_found", explainImpression],
]);

function explainRoute(record: JournalRecord, _raw: RawParameters, lookup: Lookup): Explanation {
  const { operation, sent, closest } = nearestRoute(record.method, record.path);
  const raw = rawOf(record, operation);
  const account = callerOf(record, lookup) ?? publisherIn(raw, lookup);
  return { operation, sent, closest, raw, account };
}

function explainKey(record: JournalRecord, raw: RawParameters, lookup: Lookup): Explanation {
  const { sent, account = publisherIn(raw, lookup) } = nearestKey(record, lookup);
  return { sent, closest: `Authorization: Bearer <the API key of ${account.id}>`, account };
}

function explainPublisher(record: JournalRecord, raw: RawParameters, lookup: Lookup): Explanation {
  const caller = callerOf(record, lookup) ?? lookup.first();
  return nearestPublisher(raw.publisher_id, caller, lookup);
}

function explainSurface(record: JournalRecord, raw: RawParameters, lookup: Lookup): Explanation {
  // A key may serve other publishers too.
  const named = typeof raw.publisher_id === "string" ? lookup.byId(raw.publisher_id) : undefined;
  const account = named ?? callerOf(record, lookup) ?? lookup.first();
  const found = nearestSurface(raw.surface, account, lookup);
  return { ...found, surface: found.id };
}

function explainImpression(record: JournalRecord, raw: RawParameters, lookup: Lookup): Explanation {
  const caller = callerOf(record, lookup) ?? lookup.first();
  const found = nearestImpression(raw.impression_id, caller, lookup);
  return { ...found, impression: found.id };
}

/** Only requests to unknown routes have no operation. */
function operationOf({ operation = "stats" }: JournalRecord): Operation {
  return operations[operation];
}

/** The parameters as they were sent, in any encoding; none if they can't be read. */
function rawOf(record: JournalRecord, operation: Operation): RawParameters {
  const parsed = parseParameters(record, operation, "any");
  return parsed.kind === "parameters" ? parsed.raw : {};
}

/** The account whose key was sent: by the keys valid now, otherwise by those valid at the time. */
function callerOf(record: JournalRecord, lookup: Lookup): Account | undefined {
  const header = headerOf(record.headers, "authorization") ?? "";
  const key = /^bearer +(\S+)$/i.exec(header.trim())?.[1];
  const byKey = key === undefined ? undefined : lookup.byKey(key);
  return byKey ?? (record.publisher === undefined ? undefined : lookup.byId(record.publisher));
}

function publisherIn({ publisher_id: named }: RawParameters, lookup: Lookup): Account {
  return (typeof named === "string" ? lookup.byId(named) : undefined) ?? lookup.first();
}
