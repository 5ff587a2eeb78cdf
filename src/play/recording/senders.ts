/** Finds out which publisher sent each request of a recording, and with which surfaces. */

import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { eventIdIn, valuesOf } from "../../journal/entry-values.ts";
import type { RecordedEntry } from "../../journal/recorded-entry.ts";

/** An entry, and the id of the publisher that sent it. */
export interface Attributed extends RecordedEntry {
  readonly sender: string;
  /** Whether only the API's own parameters are left of what was sent. */
  readonly isAltered?: boolean;
}

/** Stands for the sender of requests that nobody's key came with. */
export const NOBODY = "nobody";

/**
 * By its publisher_id, by the impression that it clicks on, by its key, or as the recording says. What remains belongs to the
 * first publisher.
 */
export function attributed(entries: readonly RecordedEntry[]): readonly Attributed[] {
  const byImpression = new Map<string, string>();
  // A mask stands for the keys of several publishers, and says nothing then.
  const byKey = new Map<string, string | undefined>();
  // A refused request may name a publisher that doesn't exist.
  const known = new Map<string | undefined, string>();
  for (const { publisher, request, response } of entries) {
    const id = publisher ?? (response.status === 200 && valuesOf(request).get("publisher_id"));
    if (id) known.set(id, id);
  }
  const found = entries.map((entry) => {
    const { request, response } = entry;
    const isSuccess = response.status === 200;
    const values = valuesOf(request);
    const { authorization = "" } = request.headers;
    const sender =
      entry.publisher ??
      (isSuccess ? values.get("publisher_id") : undefined) ??
      byImpression.get(values.get("impression_id") ?? "") ??
      byKey.get(authorization) ??
      known.get(values.get("publisher_id"));
    if (sender === undefined || !isSuccess) return { entry, sender };
    const isOthers = byKey.has(authorization) && byKey.get(authorization) !== sender;
    byKey.set(authorization, isOthers ? undefined : sender);
    const id = eventIdIn(response, "impression");
    if (id !== undefined) byImpression.set(id, sender);
    return { entry, sender };
  });
  const [first = NOBODY] = known.values();
  return found.map(({ entry, sender = first }) => ({ ...entry, sender }));
}

/** The surfaces that the service listed, or accepted in other requests, in the order in which they were seen. */
export function surfacesIn(own: readonly RecordedEntry[]): readonly { readonly id: string }[] {
  const ids = own.flatMap(({ operation, request, response }) => {
    const { status, body = "" } = response;
    if (status !== 200) return [];
    const listed = operation === "surfaces" ? memberOf(jsonIn(body), "surfaces") : undefined;
    const rows = Array.isArray(listed) ? listed.map((row) => memberOf(row, "id")) : [];
    return [...rows, valuesOf(request).get("surface")].filter((id) => typeof id === "string");
  });
  return [...new Set(ids)].map((id) => ({ id }));
}
