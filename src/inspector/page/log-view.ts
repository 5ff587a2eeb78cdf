/** The exchanges as they come: filters, the strip of errors, and the list, which holds still while somebody reads. */

import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { shownIn } from "./filter.ts";
import { isField, useShortcuts } from "./keys.ts";
import { type FoldLine, linesOf, lineWith, rowOf } from "./lines.ts";
import { List } from "./list.ts";
import { isRow, type Log, orderOf } from "./log.ts";
import { type Part, Search } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { marked, Strip } from "./strip.ts";

const STEP = 500;

interface LogViewProps {
  readonly log: Log;
  readonly findings: ReadonlyMap<number, readonly string[]>;
  readonly isPaused: boolean;
}

export function LogView({ log, findings, isPaused }: LogViewProps): Part {
  const place = usePlace();
  const open = /^\d+$/.test(place.at ?? "") ? Number(place.at) : undefined;
  const [cursor, setCursor] = useState(open);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [isScrolled, setScrolled] = useState(false);
  const [most, setMost] = useState(STEP);
  const hold = useHold(log, isPaused || isScrolled || open !== undefined, open);
  const { items, counts } = shownIn(log, place, hold.until);
  // An exchange that a link names is listed, however old it is.
  const wanted = open === undefined ? -1 : items.findIndex((item) => orderOf(item) >= open);
  const older = Math.min(items.length - most, wanted === -1 ? items.length : wanted);
  const lines = linesOf(items.slice(Math.max(0, older)), log, opened);
  const at = open ?? cursor;
  const line = lineWith(lines, at);
  useEffect(() => setCursor((now) => open ?? now), [open]);

  const show = (sequence: number): void =>
    go({ at: `${sequence}` }, open === undefined ? "push" : "replace");
  const fold = ({ rows }: FoldLine): void => {
    const oldest = rows.at(-1)?.sequence ?? 0;
    const next = new Set(opened);
    if (!next.delete(oldest)) next.add(oldest);
    setOpened(next);
    setCursor(rows[0]?.sequence);
  };
  /** `step`: 1 to what is older. */
  const move = (step: 1 | -1): void => {
    let index = line + step;
    while (index >= 0 && index < lines.length && rowOf(lines[index]) === undefined) index += step;
    const next = rowOf(lines[index])?.sequence;
    if (next === undefined) {
      if (step === -1) hold.release();
    } else if (open === undefined) setCursor(next);
    else show(next);
  };
  const jump = (step: 1 | -1): void => {
    const rows = marked(log);
    const here = at ?? Number.POSITIVE_INFINITY;
    const next =
      step === 1
        ? rows.find(({ sequence }) => sequence > here)
        : rows.findLast(({ sequence }) => sequence < here);
    if (next !== undefined) go({ at: `${next.sequence}`, text: undefined, show: undefined });
  };
  const newest = (): void => {
    hold.release();
    setCursor(undefined);
    document.querySelector(".list")?.scrollTo(0, 0);
  };
  const enter = (): void => {
    const shown = lines[line];
    if (shown?.kind === "fold") fold(shown);
    else if (at !== undefined) go({ at: `${at}` });
    if (open !== undefined) document.querySelector<HTMLElement>(".panel h2")?.focus();
  };
  useShortcuts({
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    j: () => move(1),
    k: () => move(-1),
    Enter: enter,
    "[": () => jump(-1),
    "]": () => jump(1),
    n: newest,
    "/": () => document.querySelector<HTMLElement>(".filters input")?.focus(),
    Escape: () => (isField(document.activeElement) ? focusList() : leave(place)),
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
    <${Strip} log=${log} onGo=${(sequence: number) => go({ at: `${sequence}`, text: undefined, show: undefined })} />
    <div class="list-place">
      ${hold.waiting > 0 && html`<button type="button" class="newer primary" onClick=${newest}>↑ ${hold.waiting} new</button>`}
      <${List} ...${{ lines, cursor: line, open, findings }} onOpen=${show} onFold=${fold} onScrolled=${setScrolled}>
        ${
          lines.length === 0 &&
          html`<p class="none" role="row"><span role="gridcell">No exchange passes the filter.
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

/** Closes what is beside the list: the exchange first. */
function leave({ at }: Readonly<Record<string, string>>): void {
  go(
    at === undefined ? { view: undefined, section: undefined } : { at: undefined, tab: undefined },
  );
  focusList();
}

function focusList(): void {
  document.querySelector<HTMLElement>(".list")?.focus();
}

interface Hold {
  /** The order of the last item that is listed. */
  readonly until: number;
  /** How many exchanges have come since. */
  readonly waiting: number;
  release(): void;
}

/** While it holds, the list stays as it is. `open`: is listed in any case. */
function useHold(log: Log, isHolding: boolean, open: number | undefined): Hold {
  const held = useRef({ until: Number.POSITIVE_INFINITY, restarts: log.restarts });
  const [, update] = useState({});
  const last = log.items.at(-1);
  const end = last === undefined ? 0 : orderOf(last);
  const isAnew = held.current.restarts !== log.restarts;
  if (!isHolding || isAnew)
    held.current = { until: Number.POSITIVE_INFINITY, restarts: log.restarts };
  else if (log.version > 0 && (held.current.until > end || (open ?? 0) > held.current.until))
    held.current.until = end;
  const { until } = held.current;
  return {
    until,
    waiting: log.items.filter((item) => isRow(item) && item.sequence > until).length,
    release() {
      held.current.until = Number.POSITIVE_INFINITY;
      update({});
    },
  };
}
