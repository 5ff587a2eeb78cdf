/** Finds out which publisher sent each request of a recording, and with which surfaces. */

import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { eventIdIn, valuesOf } from "../../journal/entry.ts";
import type { RecordedEntry } from "../../journal/recorded-entry.ts";

/** An entry, and the id of the publisher that sent it. */
export interface Attributed extends RecordedEntry {
  readonly sender: string;
}

/** Stands for the sender of requests that nobody's key came with. */
const NOBODY = "nobody";

/**
 * As the recording says, by its publisher_id, or by the impression that it clicks on. What remains belongs to the first
 * publisher.
 */
export function attributed(entries: readonly RecordedEntry[]): readonly Attributed[] {
  const idOf = ({ publisher, request }: RecordedEntry): string =>
    publisher ?? valuesOf(request).get("publisher_id") ?? "";
  // A refused request may name a publisher that doesn't exist.
  const sure = entries.filter((one) => one.publisher !== undefined || one.response.status === 200);
  const known = new Set(sure.map(idOf).filter((id) => id !== ""));
  const [first = NOBODY] = known;
  const byImpression = new Map<string, string>();
  return entries.map((entry) => {
    const id = idOf(entry);
    const clicked = valuesOf(entry.request).get("impression_id") ?? "";
    const sender = known.has(id) ? id : (byImpression.get(clicked) ?? first);
    const shown = eventIdIn(entry.response, "impression");
    if (shown !== undefined) byImpression.set(shown, sender);
    return { ...entry, sender };
  });
}

/** The surfaces that the service listed, or accepted in other requests, in the order in which they were seen. */
export function surfacesIn(own: readonly RecordedEntry[]): readonly { readonly id: string }[] {
  const ids = own.flatMap(({ request, response }) => {
    const { status, body = "" } = response;
    if (status !== 200) return [];
    const listed = memberOf(jsonIn(body), "surfaces");
    const rows = Array.isArray(listed) ? listed.map((row) => memberOf(row, "id")) : [];
    return [...rows, valuesOf(request).get("surface")].filter((id) => typeof id === "string");
  });
  return [...new Set(ids)].map((id) => ({ id }));
}
