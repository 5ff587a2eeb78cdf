/**
 * The list of exchanges, newest at the top. Only the visible rows are in the document. While `count` stays, arriving rows don't
 * move what is being looked at.
 */

import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import type { Change, Item, Row } from "./contract.ts";
import { booksText, eventText, producerText, shortId, targetOf } from "./exchange-words.ts";
import { isRow } from "./log.ts";
import { link, type Part } from "./parts.ts";
import type { Move } from "./place.ts";

interface ListProps {
  readonly items: readonly Item[];
  /** Another one means that other items were selected. */
  readonly selection: string;
  /** How many of the items are listed: the first ones, which are the oldest. */
  readonly count: number;
  /** The sequence of the row that the keyboard is at. */
  readonly cursor: number | undefined;
  readonly open: number | undefined;
  /** The first row about the same event, if it isn't this one. */
  repeated(row: Row): number | undefined;
  /** The sequence of the newest row of all. */
  readonly last: number;
  onOpen(sequence: number): void;
  /** So many rows further down, which are older, or up. */
  onMove(rows: number): void;
  onScrolled(isAtTop: boolean): void;
}

interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** Below this width a row has two lines, as in the style. */
const NARROW_PX = 620;
const ROW_PX = 28;
const TWO_LINE_ROW_PX = 50;
/** Rows that are drawn above and below the visible ones. */
const MARGIN_ROWS = 4;
/** The head stays at the top. */
const HEAD_PX = 26;
const PAGE_ROWS = 20;

const columns = ["#", "World time", "Request", "Status", "Operation", "Publisher", "Books", "By"];

export function ExchangeList(props: ListProps): Part {
  const { items, selection, count, cursor, open, onOpen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [scrolledPx, setScrolled] = useState(0);
  const { width, height } = useViewport(scroller);
  const isNarrow = width < NARROW_PX;
  const rowPx = isNarrow ? TWO_LINE_ROW_PX : ROW_PX;
  const headPx = isNarrow ? 0 : HEAD_PX;
  // The list gets shorter when old rows are forgotten, before the browser tells where it is scrolled to then.
  const top = Math.max(0, Math.min(scrolledPx, count * rowPx + headPx - height));
  const first = Math.max(0, Math.floor(top / rowPx) - MARGIN_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / rowPx) + MARGIN_ROWS);

  const cursorIndex = indexOfRow(items, count, cursor);
  const showCursor = (): void => {
    const { current } = scroller;
    if (current === null || cursorIndex === undefined) return;
    const y = cursorIndex * rowPx;
    if (y < current.scrollTop) current.scrollTop = y;
    const bottom = y + rowPx - (height - headPx);
    if (height > 0 && bottom > current.scrollTop) current.scrollTop = bottom;
  };
  const onScroll = (): void => {
    const scrolled = scroller.current?.scrollTop ?? 0;
    setScrolled(scrolled);
    props.onScrolled(scrolled < rowPx / 2);
  };
  // Another selection begins at the top, unless a row is open.
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, 0);
    if (open !== undefined) showCursor();
    onScroll();
  }, [selection]);
  useLayoutEffect(showCursor, [cursor, rowPx, height]);

  const rows = items.slice(count - last, count - first).reverse();
  // A row that leaves the view gives its elements to one that enters it.
  const slots = Math.ceil(height / rowPx) + 2 * MARGIN_ROWS;
  return html`<div class=${`list ${isNarrow ? "narrow" : width < 1000 ? "middle" : "wide"}`}
    role="grid" aria-label="Exchanges, newest first" aria-rowcount=${count + 1} aria-colcount=${columns.length}
    aria-activedescendant=${cursorIndex === undefined ? undefined : `row-${cursor}`}
    tabindex="0" ref=${scroller} onScroll=${onScroll}
    onKeyDown=${(event: KeyboardEvent) => onKey(event, props)}>
    <div class="head row" role="row" aria-rowindex="1">
      ${columns.map((name) => html`<span role="columnheader" key=${name}>${name}</span>`)}
    </div>
    <div role="presentation" style=${{ height: `${count * rowPx}px` }}>
      <div role="presentation" style=${{ transform: `translateY(${first * rowPx}px)` }}>
        ${rows.map((item, index) => {
          const place = { index: first + index + 2, slot: (first + index) % slots, rowPx };
          if (!isRow(item)) return changeOf(item, props.last, place);
          const { sequence } = item;
          return rowOf(item, {
            ...place,
            isCursor: sequence === cursor,
            isOpen: sequence === open,
            repeats: props.repeated(item),
            onOpen,
          });
        })}
      </div>
    </div>
  </div>`;
}

interface RowPlace {
  readonly index: number;
  readonly slot: number;
  readonly rowPx: number;
}

interface RowState extends RowPlace {
  readonly isCursor: boolean;
  readonly isOpen: boolean;
  readonly repeats: number | undefined;
  onOpen(sequence: number): void;
}

function rowOf(row: Row, state: RowState): Part {
  const { index, slot, rowPx, isCursor, isOpen, repeats, onOpen } = state;
  const { sequence, at, method, operation, publisher } = row;
  const target = printable(targetOf(row));
  const [day, time] = at.split("T");
  return html`<div class=${`row ${isCursor ? "cursor" : ""} ${isOpen ? "open" : ""}`} role="row"
    key=${slot} id=${`row-${sequence}`} aria-rowindex=${index} aria-selected=${isOpen}
    style=${{ height: `${rowPx}px` }} onClick=${() => onOpen(sequence)}>
    <span role="gridcell" class="sequence">${sequence}</span>
    <span role="gridcell" class="time"><i><span class="year">${day?.slice(0, -5)}</span>${day?.slice(-5)} </i>${time?.replace("Z", "")}</span>
    <span role="gridcell" class="target"><b>${printable(method)}</b> ${target}${" "}
      ${repeats !== undefined && html`<mark title=${`The same event as #${repeats}`}>again #${repeats}</mark> `}
      <i>${eventText(row)}</i></span>
    <span role="gridcell" class="status"><${Status} status=${row.status} /></span>
    <span role="gridcell" class="operation">${operation ?? "–"}</span>
    <span role="gridcell" class="publisher" title=${publisher}>${publisher === undefined ? "–" : shortId(publisher)}</span>
    <span role="gridcell" class="books">${booksText(row, "short")}</span>
    <span role="gridcell" class="by">${producerText(row)}</span>
  </div>`;
}

function changeOf({ at, after, text, change }: Change, last: number, place: RowPlace): Part {
  const { index, slot, rowPx } = place;
  // The state before the next entry has the change. If there is none yet, the world itself does.
  const where: Move =
    after < last
      ? { at: `${after + 1}`, tab: "state", when: "before" }
      : { view: "world", section: sectionOf[change.kind] };
  return html`<div class="row change" role="row" key=${slot} aria-rowindex=${index}
    style=${{ height: `${rowPx}px` }}>
    <span role="gridcell" aria-colspan=${columns.length}>
      <b>by hand</b> ${link(where, text)} <i>${at.replace("T", " ").replace("Z", "")}</i>
    </span>
  </div>`;
}

/** Where the world shows what was changed. */
const sectionOf: Readonly<Record<Change["change"]["kind"], string>> = {
  advance: "clock",
  "set-clock": "clock",
  assume: "assumptions",
  fault: "faults",
  heal: "faults",
  "sign-up": "publishers",
  "rotate-key": "publishers",
  "set-surface": "publishers",
  replace: "worlds",
};

/** The status as a label whose colour repeats what the number says. */
export function Status({ status }: { readonly status: number }): Part {
  const family = status === 0 ? "none" : `s${Math.floor(status / 100)}xx`;
  return html`<span class=${`code ${family}`}>${status === 0 ? "none" : status}</span>`;
}

function onKey(event: KeyboardEvent, { onMove, onOpen, cursor }: ListProps): void {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE_ROWS,
    PageUp: -PAGE_ROWS,
  };
  const step = steps[event.key];
  if (step !== undefined) {
    onMove(step);
    event.preventDefault();
  }
  // A link in a row is followed.
  if (event.key === "Enter" && event.target === event.currentTarget && cursor !== undefined) {
    onOpen(cursor);
    event.preventDefault();
  }
}

/** The place of a row in the list from the top; undefined if it isn't listed. */
function indexOfRow(
  items: readonly Item[],
  count: number,
  sequence: number | undefined,
): number | undefined {
  if (sequence === undefined) return undefined;
  const index = items.findLastIndex((item) => isRow(item) && item.sequence === sequence);
  return index === -1 || index >= count ? undefined : count - 1 - index;
}

function useViewport(ref: { readonly current: HTMLElement | null }): Viewport {
  const [size, setSize] = useState<Viewport>({ width: 1000, height: 600 });
  useEffect(() => {
    const { current } = ref;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({ width: current.clientWidth, height: current.clientHeight }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return size;
}
