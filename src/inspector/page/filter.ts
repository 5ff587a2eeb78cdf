/** Which rows the list shows. The filter stands in the address. */

import type { Item, Row } from "./contract.ts";
import { targetOf } from "./exchange-words.ts";
import type { filterNames, Place } from "./place.ts";

/** Empty fields don't restrict anything. */
export interface Filter extends Record<(typeof filterNames)[number], string | boolean> {
  /**
   * Text that the request line, an id of the event, the reason, the publisher or the rule contains. `#12` is exactly this
   * exchange, and `rule:ID` exactly this fault rule.
   */
  readonly text: string;
  readonly operation: string;
  /** `2xx`, `4xx`, `5xx`, `none` or one status. */
  readonly status: string;
  readonly publisher: string;
  readonly producer: string;
  /** Only what changed the books. */
  readonly books: boolean;
  readonly faults: boolean;
}

export const noFilter: Filter = {
  text: "",
  operation: "",
  status: "",
  publisher: "",
  producer: "",
  books: false,
  faults: false,
};

export function filterIn(place: Place): Filter {
  const { text = "", operation = "", status = "", publisher = "", producer = "" } = place;
  const { books, faults } = place;
  return {
    text,
    operation,
    status,
    publisher,
    producer,
    books: books !== undefined,
    faults: faults !== undefined,
  };
}

export function isFiltering(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== "" && value !== false);
}

export function matcherOf(filter: Filter): (item: Item) => boolean {
  const { operation, publisher, producer, books, faults } = filter;
  const text = filter.text.toLowerCase();
  const hasText = textMatcher(filter.text);
  const hasStatus = statusMatcher(filter.status);
  const isOnlyText = !isFiltering({ ...filter, text: "" });
  return (item) => {
    if (!("sequence" in item)) return isOnlyText && item.text.toLowerCase().includes(text);
    return (
      (operation === "" || operation === (item.operation ?? "none")) &&
      (publisher === "" ||
        publisher === (item.publisher ?? "none") ||
        publisher === item.concerns) &&
      (producer === "" || producer === item.producedBy) &&
      (!books || item.effect === "applied") &&
      (!faults || item.fault !== undefined) &&
      hasStatus(item.status) &&
      hasText(item)
    );
  };
}

/** The filter of the exchanges that this fault rule had a hand in. */
export function ruleText(id: string): string {
  return `rule:${id}`;
}

function textMatcher(wanted: string): (row: Row) => boolean {
  const number = /^#(\d+)\s*$/.exec(wanted)?.[1];
  if (number !== undefined) return ({ sequence }) => sequence === Number(number);
  if (wanted.startsWith(ruleText("")))
    return ({ fault }) => fault !== undefined && ruleText(fault.rule) === wanted;
  const text = wanted.toLowerCase();
  return (row) => text === "" || searchTextOf(row).includes(text);
}

function searchTextOf(row: Row): string {
  const { sequence, method, reason, publisher = "", fault, event = {} } = row;
  const rule = fault === undefined ? "" : `${fault.rule} ${fault.kind}`;
  const ids = Object.values(event).join(" ");
  return `#${sequence} ${method} ${targetOf(row)} ${ids} ${reason} ${publisher} ${rule}`.toLowerCase();
}

function statusMatcher(wanted: string): (status: number) => boolean {
  if (wanted === "") return () => true;
  if (wanted === "none") return (status) => status === 0;
  const family = /^([1-5])xx$/.exec(wanted)?.[1];
  if (family !== undefined) return (status) => Math.floor(status / 100) === Number(family);
  return (status) => status === Number(wanted);
}
