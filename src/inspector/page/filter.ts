/** Which rows the list shows: one of five counted filters, and a text. */

import type { Item, Row } from "./contract.ts";
import { isRow, type Log, orderOf } from "./log.ts";
import type { Place } from "./place.ts";
import { outcomeOf, targetOf } from "./words.ts";

/** The counted filters, by their names in the address. */
const filters: Readonly<Record<string, readonly [label: string, passes: (row: Row) => boolean]>> = {
  all: ["All", () => true],
  errors: ["Errors", isWrong],
  faults: ["Faults", ({ fault }) => fault !== undefined],
  counted: ["Counted", ({ effect }) => effect === "applied"],
  refused: ["Refused", (row) => outcomeOf(row, undefined).tone === "refused"],
};

/** The client got no answer, a broken or wrong one, or a failure. */
export function isWrong(row: Row): boolean {
  return outcomeOf(row, undefined).tone === "wrong";
}

interface Shown {
  readonly items: readonly Item[];
  /** How many rows pass the text and each of the counted filters. */
  readonly counts: readonly { readonly id: string; readonly label: string; count: number }[];
}

/** `until`: the order of the last item that may be shown. */
export function shownIn(log: Log, { text = "", show = "all" }: Place, until: number): Shown {
  const typed = text.toLowerCase();
  const words = typed.split(/\s+/).filter(Boolean).map(wordMatcher);
  const found = log.items.filter((item) =>
    isRow(item) ? words.every((matches) => matches(item)) : item.text.toLowerCase().includes(typed),
  );
  const rows = found.filter(isRow);
  const counts = Object.entries(filters).map(([id, [label, passes]]) => {
    return { id, label, count: rows.filter(passes).length };
  });
  const [, passes] = Object.entries(filters).find(([id]) => id === show)?.[1] ?? [];
  const items = found.filter(
    (item) =>
      orderOf(item) <= until &&
      (passes === undefined || (isRow(item) ? passes(item) : show === "all")),
  );
  return { items, counts };
}

/** Some words have a meaning: `#12`, `status:429`, `fault:lost-ack`, `is:impression`. */
function wordMatcher(word: string): (row: Row) => boolean {
  const [, name, value = ""] = /^(#|status:|fault:|is:)(.+)$/.exec(word) ?? [];
  switch (name) {
    case "#":
      return ({ sequence }) => `${sequence}` === value;
    case "status:":
      return ({ status }) =>
        (status === 0 ? "none" : `${status}`).startsWith(value.replace(/xx$/, ""));
    case "fault:":
      return ({ fault }) =>
        fault !== undefined && [fault.rule.toLowerCase(), fault.kind].includes(value);
    case "is:":
      return ({ operation }) => operation === value;
    default:
      return (row) => searchedIn(row).includes(word);
  }
}

function searchedIn(row: Row): string {
  const { method, reason, publisher, concerns, fault, event = {}, detail } = row;
  const own = [method, targetOf(row), reason, detail, publisher, concerns];
  return [...own, fault?.rule, fault?.kind, ...Object.values(event)].join(" ").toLowerCase();
}
