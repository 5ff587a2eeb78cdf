/**
 * The requests of a recording as a scenario can send them. What another service received can hold anything: other parameters,
 * keys, cookies. Of that only the API's own parameters stay.
 */

import { parametersOf, valuesOf } from "../../journal/entry-values.ts";
import type { LeftOut, RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import { buildRequest, type Encoding } from "../../spec/build-request.ts";
import { operations } from "../../spec/operations.ts";

/** If another service answered, it leaves out requests that aren't the API's, and successes that lack a required parameter. */
export function apiRequests(recording: Recording): Recording {
  if (recording.byAdsim) return recording;
  const entries = recording.entries.map((entry): RecordedEntry => {
    return { ...entry, leftOut: entry.leftOut ?? leftOutOf(entry) };
  });
  return { ...recording, entries };
}

function leftOutOf({ operation, request, response }: RecordedEntry): LeftOut | undefined {
  if (operation === undefined) return "no-operation";
  const values = valuesOf(request);
  const isWhole = Object.entries(operations[operation].parameters).every(
    // Without a publisher_id it belongs to the sender.
    ([name, { required }]) => !required || name === "publisher_id" || values.has(name),
  );
  return isWhole || response.status !== 200 ? undefined : "incomplete";
}

/** An entry, and the id of the publisher that sent it. */
export interface Attributed extends RecordedEntry {
  readonly publisher: string;
}

/** The request with the API's parameters alone, and with the sender's publisher_id if a success has none. */
export function plainRequest(entry: Attributed): Attributed {
  const { operation, request, response, publisher } = entry;
  if (operation === undefined) return entry;
  const { parameters } = operations[operation];
  const sent = parametersOf(request).filter(([name]) => Object.hasOwn(parameters, name));
  const isOwn = response.status === 200 && "publisher_id" in parameters;
  const given = { ...(isOwn && { publisher_id: publisher }), ...Object.fromEntries(sent) };
  const { authorization } = request.headers;
  const own = authorization === undefined ? {} : { authorization };
  const built = buildRequest(operation, given, { encoding: encodingIn(request), headers: own });
  const { method, path, query = "", headers = {}, body = "" } = built;
  const plain = { method, path, query: String(query), headers, body: String(body) };
  return { ...entry, request: plain };
}

function encodingIn({ headers, body }: RecordedEntry["request"]): Encoding {
  if (body === "") return "query";
  return headers["content-type"]?.includes("form") === true ? "form" : "json";
}
