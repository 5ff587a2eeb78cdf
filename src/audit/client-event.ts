/** What a recording request is about, read from the request alone in whichever encoding it has. */

import { defaultAssumptions } from "../assumptions/resolve.ts";
import { operations } from "../contract/operations.ts";
import { createParameterParser, type ParameterParser } from "../exchange/parameters.ts";
import type { JournalRecord } from "../journal/record.ts";

/** An impression or a click as its client means it. `key`: equal for the same event. */
export type ClientEvent =
  | {
      readonly kind: "impression";
      readonly key: string;
      /** Publisher, surface and ad. */
      readonly spot: string;
      readonly session: string | undefined;
    }
  | { readonly kind: "click"; readonly key: string; readonly impression: string };

// By default every encoding is read.
const parsers: { readonly impression: ParameterParser; readonly click: ParameterParser } = {
  impression: createParameterParser(defaultAssumptions, operations.impression),
  click: createParameterParser(defaultAssumptions, operations.click),
};

/** Undefined for any other request, and for one that lacks a required parameter. */
export function eventOf(record: JournalRecord): ClientEvent | undefined {
  const { operation } = record;
  if (operation !== "impression" && operation !== "click") return undefined;
  const parsed = parsers[operation](record);
  if (parsed.kind === "refused") return undefined;
  const { raw } = parsed;
  if (operation === "click") {
    const impression = textOf(raw.impression_id);
    if (impression === undefined) return undefined;
    return { kind: "click", key: JSON.stringify(["click", impression]), impression };
  }
  const named = [raw.publisher_id, raw.surface, raw.ad_id].map(textOf);
  if (named.includes(undefined)) return undefined;
  const spot = JSON.stringify(named);
  const session = textOf(raw.session_id);
  return { kind: "impression", key: JSON.stringify([spot, session]), spot, session };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
