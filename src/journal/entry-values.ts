/** What a shown entry says: its parameters, and the id in its answer. */

import { jsonIn, memberOf } from "../base/parse-json.ts";
import type { EventKind } from "../spec/operations.ts";
import type { JournalEntry } from "./entry.ts";

/** The parameters in the query and the body, as sent. A body that looks like JSON and isn't has none. */
export function parametersOf({ query, body }: Pick<JournalEntry["request"], "query" | "body">) {
  const inBody = body.startsWith("{")
    ? Object.entries(Object(jsonIn(body)))
    : new URLSearchParams(body);
  return [...new URLSearchParams(query), ...inBody] as (readonly [name: string, value: unknown])[];
}

/** The parameters as text. If a name occurs twice, the last value counts. */
export function valuesOf(request: JournalEntry["request"]): ReadonlyMap<string, string> {
  return new Map(parametersOf(request).map(([name, value]) => [name, String(value)]));
}

/** The id in the answer to an event; undefined if the answer is no success. */
export function eventIdIn(
  { status, body = "" }: { readonly status: number; readonly body: string | undefined },
  event: EventKind,
): string | undefined {
  const id = status === 200 ? memberOf(jsonIn(body), `${event}_id`) : undefined;
  return typeof id === "string" ? id : undefined;
}
