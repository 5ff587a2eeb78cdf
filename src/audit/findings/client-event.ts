/** Reads from a recording request, in any encoding, which event it is about. */

import { parseParameters } from "../../exchange/parameters.ts";
import type { JournalRecord } from "../../journal/record.ts";
import { isEventKind, operations } from "../../spec/operations.ts";

/** An impression or a click as its client means it. */
export interface ClientEvent {
  /** Equal for the same event; undefined for an impression without a session, because many users may see an ad. */
  readonly key: string | undefined;
  /** Of an impression: publisher, surface and ad. */
  readonly spot?: string | undefined;
  readonly session?: string | undefined;
  /** Of a click: the id of its impression. */
  readonly impression?: string | undefined;
}

/** Undefined for any other request, and for one that lacks a required parameter. */
export function eventOf(
  record: JournalRecord,
  values: EventValues | undefined = eventValues(record),
): ClientEvent | undefined {
  if (values === undefined) return undefined;
  if (record.operation === "click") {
    const impression = values.impression_id;
    if (impression === undefined) return undefined;
    return { key: JSON.stringify(["click", impression]), impression };
  }
  const named = [values.publisher_id, values.surface, values.ad_id];
  if (named.includes(undefined)) return undefined;
  const spot = JSON.stringify(named);
  const session = values.session_id;
  return { key: session && JSON.stringify([spot, session]), spot, session };
}

const names = ["publisher_id", "surface", "ad_id", "session_id", "impression_id"] as const;

/** What a recording request says of its event. */
export type EventValues = { readonly [Name in (typeof names)[number]]?: string | undefined };

/** The parameters of a recording request. Undefined for any other request, and for an ambiguous or unreadable one. */
export function eventValues(
  request: Pick<JournalRecord, "operation" | "query" | "headers" | "body">,
): EventValues | undefined {
  const { operation } = request;
  if (!isEventKind(operation)) return undefined;
  const parsed = parseParameters(request, operations[operation], "any");
  if (parsed.kind === "refused") return undefined;
  return Object.fromEntries(names.map((name) => [name, textOf(parsed.raw[name])]));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
