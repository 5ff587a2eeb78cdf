/** The exchanges as they come: filters, the strip of errors, and the list, which holds still while somebody reads. */

import { html } from "htm/preact";
import { useRef, useState } from "preact/hooks";
import { shownIn } from "./filter.ts";
import { isField, useShortcuts } from "./keys.ts";
import { linesOf, type RowLine } from "./lines.ts";
import { List } from "./list.ts";
import { isRow, type Log, orderOf } from "./log.ts";
import { type Part, Search } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { marked, Strip } from "./strip.ts";

const STEP = 500;

export function LogView(props: {
  readonly log: Log;
  /** The exchange that the panel shows. */
  readonly open: number | undefined;
  readonly findings: ReadonlyMap<number, readonly string[]>;
}): Part {
  const { log, open, findings } = props;
  const place = usePlace();
  const [cursor, setCursor] = useState("");
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [isScrolled, setScrolled] = useState(false);
  const [most, setMost] = useState(STEP);
  const held = useHeld(log, isScrolled || open !== undefined, open);
  const { items, counts } = shownIn(log, place, held.until);
  // An exchange that a link names is listed, however old it is.
  const wanted = items.findIndex((item) => orderOf(item) === open);
  const older = Math.max(0, Math.min(items.length - most, wanted === -1 ? items.length : wanted));
  const lines = linesOf(items.slice(older), log, opened);
  const rows = lines.filter((line) => line.kind === "row");
  const shown = rows.findLast((row) => row.rows.some(({ sequence }) => sequence === open));
  const at = shown ?? rows.find(({ id }) => id === cursor);

  const show = (line: RowLine): void =>
    go({ at: `${line.newest.sequence}` }, open === undefined ? "push" : "replace");
  const press = (line: RowLine): void => {
    setCursor(line.id);
    if (line.isOpen === undefined) show(line);
    else {
      const others = [...opened].filter((id) => id !== line.id);
      setOpened(new Set(line.isOpen ? others : [...others, line.id]));
    }
  };
  /** `step`: 1 to what is older. */
  const move = (step: 1 | -1): void => {
    const next = rows[at === undefined ? 0 : rows.indexOf(at) + step];
    if (next === undefined && step === -1) held.release();
    if (next === undefined) return;
    setCursor(next.id);
    if (open !== undefined) show(next);
  };
  const goTo = (sequence: number | undefined): void => {
    if (sequence !== undefined) go({ at: `${sequence}`, text: undefined, show: undefined });
  };
  const newest = (): void => {
    held.release();
    setCursor("");
    document.querySelector(".list")?.scrollTo(0, 0);
  };
  const here = at?.newest.sequence ?? Number.POSITIVE_INFINITY;
  useShortcuts({
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    j: () => move(1),
    k: () => move(-1),
    Enter: () => at && press(at),
    "[": () => goTo(marked(log).findLast(({ sequence }) => sequence < here)?.sequence),
    "]": () => goTo(marked(log).find(({ sequence }) => sequence > here)?.sequence),
    n: newest,
    "/": () => document.querySelector<HTMLElement>(".filters input")?.focus(),
    Escape: () => {
      if (at !== undefined) setCursor(at.id);
      // Leaves the field, or what is beside the list: the exchange first.
      const isTyping = isField(document.activeElement);
      if (!isTyping && open !== undefined) go({ at: undefined, tab: undefined });
      else if (!isTyping) go({ view: undefined, section: undefined });
      document.querySelector<HTMLElement>(".list")?.focus();
    },
  });

  const chosen = place.show ?? "all";
  return html`<div class="log">
    <div class="filters" role="search" aria-label="Filter the exchanges">
      <${Search} label="Filter: path, id, status:429, fault:lost-ack, #12" value=${place.text ?? ""}
        onSearch=${(text: string) => go({ text }, "replace")} />
      <div class="counts" role="group" aria-label="Show">
        ${counts.map(
          ({ id, label, count }) => html`<button type="button" key=${id} class=${id}
            aria-pressed=${id === chosen} onClick=${() => go({ show: id === "all" ? undefined : id }, "replace")}>${label} <b>${count}</b></button>`,
        )}
      </div>
    </div>
    <${Strip} log=${log} onGo=${goTo} />
    <div class="list-place">
      ${held.waiting > 0 && html`<button type="button" class="newer primary" onClick=${newest}>↑ ${held.waiting} new</button>`}
      <${List} ...${{ lines, at, open, findings }} onPress=${press} onScrolled=${setScrolled}>
        ${
          lines.length === 0 &&
          html`<p class="none" role="row"><span role="gridcell">No exchange passes the filter.${" "}
          <button type="button" onClick=${() => go({ text: undefined, show: undefined })}>Show all</button></span></p>`
        }
        ${
          older > 0 &&
          html`<p class="none" role="row"><span role="gridcell"><button type="button" onClick=${() => setMost(items.length - older + STEP)}>
          Show ${Math.min(STEP, older)} older</button></span></p>`
        }
      </${List}>
    </div>
  </div>`;
}

interface Held {
  /** The order of the last item that is listed. */
  readonly until: number;
  /** How many exchanges have come since. */
  readonly waiting: number;
  release(): void;
}

/** While somebody reads, the list ends where it ended, or with the exchange that is open. */
function useHeld(log: Log, isReading: boolean, open: number | undefined): Held {
  const held = useRef<number | undefined>(undefined);
  const [, update] = useState({});
  const last = log.items.at(-1);
  if (!isReading || (open ?? 0) > (held.current ?? 0)) held.current = undefined;
  if (isReading && last !== undefined) held.current ??= orderOf(last);
  const until = held.current ?? Number.POSITIVE_INFINITY;
  return {
    until,
    waiting: log.items.filter((item) => isRow(item) && item.sequence > until).length,
    release() {
      held.current = undefined;
      update({});
    },
  };
}
