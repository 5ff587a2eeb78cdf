/** How an exchange is put into words. */

import { printable } from "../../base/text.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { errorKinds } from "../../spec/errors.ts";
import type { Row } from "./contract.ts";
import { inr } from "./parts.ts";

export function targetOf({ path, query }: Pick<Row, "path" | "query">): string {
  return query === "" ? path : `${path}?${query}`;
}

/** The reason as a sentence, and its code if it has one. */
export function reasonText({ reason }: Pick<JournalEntry, "reason">): string {
  const titles: Readonly<Record<string, { readonly title: string }>> = errorKinds;
  const title = Object.hasOwn(titles, reason) ? titles[reason]?.title : undefined;
  return title === undefined ? printable(reason) : `${title} (${reason})`;
}

/** What an exchange did to the books. Short: the amount is rounded to 4 decimals. */
export function booksText(
  row: Pick<Row, "effect" | "creditInr" | "operation">,
  form: "exact" | "short" = "exact",
): string {
  switch (row.effect) {
    case "applied": {
      const { creditInr, operation = "event" } = row;
      if (creditInr === undefined) return form === "short" ? "+1" : `+1 ${operation}`;
      return form === "short"
        ? `+1 ${inr(Number(creditInr.toFixed(4)))}`
        : `+1 ${operation}, ${inr(creditInr)}`;
    }
    case "suppressed":
      return "duplicate";
    case "refused":
      return "refused";
    case "read":
      return "read";
    default:
      return "untouched";
  }
}

/** Who made the answer, and which fault rule had a hand in it. */
export function producerText(row: {
  readonly producedBy: string;
  readonly limit?: string | undefined;
  readonly fault?: { readonly rule: string; readonly kind: string } | undefined;
}): string {
  const { producedBy, limit, fault } = row;
  if (producedBy === "limit") return `limit ${limit ?? ""}`;
  const rule = fault === undefined ? "" : `${fault.rule}: ${fault.kind}`;
  if (producedBy === "rule") return rule;
  return rule === "" ? "service" : `service, ${rule}`;
}

/** What the request is about, in short. */
export function eventText({ operation, event = {} }: Row): string {
  const { surface, ad_id, session_id, impression_id } = event;
  const about = operation === "click" ? [impression_id] : [surface, ad_id, session_id];
  return about.map((id) => (id === undefined ? "" : shortId(printable(id)))).join(" ");
}

const SHORT = 14;

/** A long id without its middle. */
export function shortId(id: string): string {
  return id.length <= SHORT ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
