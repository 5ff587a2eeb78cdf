/** Which rows the list shows: one of five counted filters, and a text. */

import type { Item, Row } from "./contract.ts";
import { isRow, type Log } from "./log.ts";
import type { Place } from "./place.ts";
import { targetOf } from "./words.ts";

/** Names of the counted filters, as they stand in the address, and what passes. */
const filters = {
  all: ["All", () => true],
  errors: ["Errors", isWrong],
  faults: ["Faults", ({ fault }) => fault !== undefined],
  counted: ["Counted", ({ effect }) => effect === "applied"],
  refused: ["Refused", isRefused],
} as const satisfies Record<string, readonly [label: string, passes: (row: Row) => boolean]>;

/** The client got no answer, a broken or wrong one, or a failure. */
export function isWrong({ status, fault, producedBy }: Row): boolean {
  if (fault?.application === 2) return false;
  const isBroken =
    fault !== undefined && (fault.received === "part" || fault.kind === "wrong-body");
  return status === 0 || isBroken || (status >= 500 && producedBy !== "limit");
}

function isRefused({ effect, status, producedBy }: Row): boolean {
  return (effect === "refused" || producedBy === "limit" || status >= 400) && status < 500;
}

export interface Shown {
  readonly items: readonly Item[];
  /** How many rows pass the text and each of the counted filters. */
  readonly counts: readonly {
    readonly id: string;
    readonly label: string;
    readonly count: number;
  }[];
}

/** `until`: the order of the last item that may be shown. */
export function shownIn(log: Log, { text = "", show = "all" }: Place, until: number): Shown {
  const passes = Object.entries(filters).find(([id]) => id === show)?.[1][1] ?? filters.all[1];
  const says = textMatcher(text);
  const counts = Object.entries(filters).map(([id, [label]]) => ({ id, label, count: 0 }));
  const isAll = passes === filters.all[1];
  const items = log.items.filter((item) => {
    if (!isRow(item))
      return isAll && item.after < until && (text === "" || item.text.includes(text));
    if (!says(item)) return false;
    for (const one of counts) {
      if (filters[one.id as keyof typeof filters][1](item)) one.count += 1;
    }
    return item.sequence <= until && passes(item);
  });
  return { items, counts };
}

/** All words must be found. Some have a meaning: `#12`, `status:429`, `fault:lost-ack`, `is:impression`. */
function textMatcher(text: string): (row: Row) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(wordMatcher);
  return (row) => words.every((matches) => matches(row));
}

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
  const { method, reason, publisher = "", concerns = "", fault, event = {}, detail = "" } = row;
  const rule = fault === undefined ? "" : `${fault.rule} ${fault.kind}`;
  const ids = Object.values(event).join(" ");
  return `${method} ${targetOf(row)} ${ids} ${reason} ${detail} ${publisher} ${concerns} ${rule}`.toLowerCase();
}
