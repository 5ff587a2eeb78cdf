/** The list of exchanges, newest at the top, in plain elements. */

import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import type { Change, Row } from "./contract.ts";
import type { FoldLine, Line, RowLine } from "./lines.ts";
import type { Part } from "./parts.ts";
import { go, type Move } from "./place.ts";
import { inr, isPlain, type Outcome, operationText, shortId, subjectsOf } from "./words.ts";

interface ListProps {
  readonly lines: readonly Line[];
  /** The index of the line that the keyboard is at; -1 for none. */
  readonly cursor: number;
  readonly open: number | undefined;
  /** Titles of the findings of an exchange. */
  readonly findings: ReadonlyMap<number, readonly string[]>;
  readonly children: unknown;
  onOpen(sequence: number): void;
  onFold(fold: FoldLine): void;
  onScrolled(isAway: boolean): void;
}

export function List(props: ListProps): Part {
  const { lines, cursor, open, children, onScrolled } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const at = idOf(lines[cursor]);
  useLayoutEffect(() => {
    const element = at === undefined ? null : document.getElementById(at);
    element?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return html`<div class="list" role="treegrid" aria-label="Exchanges, newest first" tabindex="0" ref=${scroller}
    aria-activedescendant=${at} onScroll=${() => onScrolled((scroller.current?.scrollTop ?? 0) > 8)}>
    ${lines.map((line, index) => {
      const isAt = index === cursor;
      switch (line.kind) {
        case "day":
          return html`<div class="day" role="row" key=${line.day}><span role="gridcell">${dayText(line.day)}</span></div>`;
        case "change":
          return html`<${ChangeLine} key=${`change-${line.change.number}`} change=${line.change} />`;
        case "fold":
          return html`<${Fold} key=${`fold-${line.rows.at(-1)?.sequence}`} line=${line} isAt=${isAt} ...${props} />`;
        default:
          return html`<${One} key=${line.row.sequence} line=${line} isAt=${isAt}
            isOpen=${line.row.sequence === open} ...${props} />`;
      }
    })}
    ${children}
  </div>`;
}

function idOf(line: Line | undefined): string | undefined {
  if (line?.kind === "row") return `row-${line.row.sequence}`;
  return line?.kind === "fold" ? `fold-${line.rows.at(-1)?.sequence}` : undefined;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

function dayText(day: string): string {
  return dayFormat.format(new Date(day));
}

interface LineProps extends ListProps {
  readonly isAt: boolean;
}

function One(props: LineProps & { readonly line: RowLine; readonly isOpen: boolean }): Part {
  const { line, isAt, isOpen, onOpen, findings } = props;
  const { row, outcome } = line;
  const { sequence, creditInr, effect } = row;
  const credit = effect === "applied" && creditInr !== undefined ? creditInr : undefined;
  return html`<div id=${`row-${sequence}`} class=${classOf(outcome, isAt, isOpen)} role="row"
    aria-selected=${isOpen} onClick=${() => onOpen(sequence)}>
    ${cells(row, outcome, { credit, marks: findings.get(sequence) ?? [] })}
    <span role="gridcell" class="number">#${sequence}</span>
  </div>`;
}

function Fold(props: LineProps & { readonly line: FoldLine }): Part {
  const { line, isAt, open, onFold, findings } = props;
  const { rows, outcome, isOpen } = line;
  const [newest] = rows;
  if (newest === undefined) return null;
  const credit = rows.reduce(
    (sum, { creditInr = 0, effect }) => sum + (effect === "applied" ? creditInr : 0),
    0,
  );
  const marks = rows.flatMap(({ sequence }) => findings.get(sequence) ?? []);
  const hasOpen = !isOpen && rows.some(({ sequence }) => sequence === open);
  return html`<div id=${`fold-${rows.at(-1)?.sequence}`} class=${`${classOf(outcome, isAt, hasOpen)} fold`}
    role="row" aria-expanded=${isOpen} onClick=${() => onFold(line)}>
    ${cells(newest, outcome, { credit: credit || undefined, marks, count: rows.length })}
    <span role="gridcell" class="number" title=${isOpen ? "Fold" : "Unfold"}>${isOpen ? "▾" : "▸"}</span>
  </div>`;
}

function classOf({ tone }: Outcome, isAt: boolean, isOpen: boolean): string {
  return `row ${tone} ${isAt ? "cursor" : ""} ${isOpen ? "open" : ""}`;
}

interface Shown {
  readonly credit: number | undefined;
  readonly marks: readonly string[];
  /** How many equal rows it stands for. */
  readonly count?: number;
}

function cells(row: Row, outcome: Outcome, { credit, marks, count }: Shown): unknown[] {
  const { at, status, publisher, concerns, fault } = row;
  const subjects = subjectsOf(row);
  const who = concerns ?? publisher;
  const [clock, milliseconds] = at.slice(11, -1).split(".");
  const kinds = [...new Set(marks)];
  return [
    html`<span role="gridcell" class="time">${clock}<i>.${milliseconds}</i></span>`,
    html`<span role="gridcell" class="sign" aria-hidden="true">${outcome.sign}</span>`,
    html`<span role="gridcell" class="what">${count !== undefined && html`<b class="count">${count} ×</b> `}<b>${operationText(row)}</b>${" "}
      <span class="ids" title=${printable(subjects.join("\n"))}>${subjects
        .filter(Boolean)
        .map((id) => shortId(printable(id)))
        .join(" · ")}</span></span>`,
    html`<span role="gridcell" class="publisher" title=${who}>${who === undefined ? "no valid key" : shortId(who)}</span>`,
    html`<span role="gridcell" class=${isPlain(outcome) ? "outcome plain" : "outcome"} title=${outcome.words}>${outcome.words}${
      fault !== undefined && html` <span class="rule">${fault.rule}</span>`
    }</span>`,
    html`<span role="gridcell" class="amount">${credit === undefined ? "" : `+${inr(Number(credit.toFixed(4)))}`}</span>`,
    html`<span role="gridcell" class="marks" title=${kinds.join("\n")}>${marks.length > 0 && html`⚠ ${kinds.length}<span class="unseen"> ${counted(kinds.length, "finding")}</span>`}</span>`,
    html`<span role="gridcell" class="status">${status === 0 ? "none" : status}</span>`,
  ];
}

/** Where the world shows what was changed. */
const sectionOf: Readonly<Record<Change["change"]["kind"], Move>> = {
  advance: {},
  "set-clock": {},
  assume: { view: "world", section: "assumptions" },
  fault: { view: "world", section: "faults" },
  heal: { view: "world", section: "faults" },
  "sign-up": { view: "world", section: "publishers" },
  "rotate-key": { view: "world", section: "publishers" },
  "set-surface": { view: "world", section: "publishers" },
  replace: { view: "world", section: "state" },
};

function ChangeLine({ change: { at, text, change } }: { readonly change: Change }): Part {
  return html`<div class="change" role="row" onClick=${() => go({ at: undefined, ...sectionOf[change.kind] })}>
    <span role="gridcell" class="time">${at.slice(11, 19)}</span><span role="gridcell">${printable(text)}</span>
  </div>`;
}
