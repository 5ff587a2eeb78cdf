/** The fields that filter the list. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { operationIds } from "../../spec/operations.ts";
import { Choose, textOf } from "./fields.ts";
import { type Filter, isFiltering } from "./filter.ts";
import type { Part } from "./parts.ts";
import { go, unfiltered } from "./place.ts";

const families = [
  ["", "any status"],
  ["2xx", "2xx"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
  ["none", "no answer"],
] as const;

export function FilterBar(props: {
  readonly filter: Filter;
  readonly publishers: readonly string[];
  /** Statuses that occur. */
  readonly statuses: readonly number[];
  /** Such as `3 of 20`. */
  readonly passing: string;
}): Part {
  const { filter, publishers, statuses, passing } = props;
  const [isOpen, setOpen] = useState(false);
  const set = (name: string) => (value: string) => go({ [name]: value }, "replace");
  const box = (name: "books" | "faults", label: string): Part => html`<label class="check">
    <input type="checkbox" checked=${filter[name]}
      onChange=${() => set(name)(filter[name] ? "" : "1")} />${label}
  </label>`;
  // A link may name a status that no row has.
  const exactStatus = /^\d+$/.test(filter.status) ? filter.status : "";
  const known = (list: readonly string[], chosen: string): [string, string][] =>
    [...new Set([...list, chosen])]
      .filter((one) => one !== "" && one !== "none")
      .map((one) => [one, one]);
  return html`<form class=${`filters ${isOpen ? "opened" : ""}`} role="search" aria-label="Filter the exchanges"
    onSubmit=${(event: Event) => event.preventDefault()}>
    <input id="filter-text" type="search" placeholder="Filter: path, id, reason, rule, #12" aria-label="Text"
      value=${filter.text} onInput=${(event: Event) => set("text")(textOf(event))} />
    <button type="button" class="small more" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      Filters
    </button>
    <${Choose} label="Operation" value=${filter.operation} onChoose=${set("operation")}
      options=${[["", "any operation"], ...known(operationIds, filter.operation), ["none", "none"]]} />
    <${Choose} label="Status" value=${filter.status} onChoose=${set("status")}
      options=${[...families, ...known(statuses.map(String), exactStatus)]} />
    <${Choose} label="Publisher" value=${filter.publisher} onChoose=${set("publisher")}
      options=${[["", "any publisher"], ...known(publishers, filter.publisher), ["none", "no valid key"]]} />
    <${Choose} label="By" value=${filter.producer} onChoose=${set("producer")}
      options=${[["", "anyone"], ["service", "service"], ["limit", "limit"], ["rule", "rule"]]} />
    ${box("books", "books changed")}${box("faults", "faults")}
    ${
      isFiltering(filter) && html`<span class="passing"><b>${passing}</b> <${ClearButton} /></span>`
    }
  </form>`;
}

export function ClearButton(): Part {
  const clear = (): void => {
    go(unfiltered);
    // The button goes with the filter.
    queueMicrotask(() => document.querySelector<HTMLElement>(".list")?.focus());
  };
  return html`<button type="button" class="small" onClick=${clear}>Clear</button>`;
}
