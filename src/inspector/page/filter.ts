/** Which rows the list shows. The filter stands in the address. */

import type { Item } from "./contract.ts";
import { targetOf } from "./exchange-words.ts";
import type { Place } from "./place.ts";

/** Empty fields don't restrict anything. */
export interface Filter {
  /** Text that the request line, an id of the event, the reason, the publisher or the rule contains. */
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

/** The parameters of the address that filter. */
export const filterNames: readonly string[] = Object.keys(noFilter);

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
      (text === "" || searchTextOf(item).includes(text))
    );
  };
}

function searchTextOf(row: Extract<Item, { sequence: number }>): string {
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
