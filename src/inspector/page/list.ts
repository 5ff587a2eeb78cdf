/** The list of exchanges, newest at the top, in plain elements. */

import { html } from "htm/preact";
import type { TargetedEvent } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import type { Change, Row } from "./contract.ts";
import type { Line, RowLine } from "./lines.ts";
import type { Part } from "./parts.ts";
import { go } from "./place.ts";
import { inr, isPlain, operationText, shortId, subjectsOf } from "./words.ts";

interface ListProps {
  readonly lines: readonly Line[];
  /** The line that the keyboard is at. */
  readonly at: RowLine | undefined;
  /** The exchange that the panel shows. */
  readonly open: number | undefined;
  /** Titles of the findings of an exchange. */
  readonly findings: ReadonlyMap<number, readonly string[]>;
  readonly children: unknown;
  onPress(line: RowLine): void;
  onScrolled(isAway: boolean): void;
}

export function List(props: ListProps): Part {
  const { lines, at, children, onScrolled } = props;
  useLayoutEffect(() => {
    if (at !== undefined) document.getElementById(at.id)?.scrollIntoView({ block: "nearest" });
  }, [at?.id]);
  return html`<div class="list" role="treegrid" aria-label="Exchanges, newest first" tabindex="0"
    aria-activedescendant=${at?.id} onScroll=${(event: TargetedEvent<HTMLElement>) => onScrolled(event.currentTarget.scrollTop > 8)}>
    ${lines.map((line) => {
      if (line.kind === "row") return html`<${OneRow} key=${line.id} line=${line} ...${props} />`;
      if (line.kind === "change")
        return html`<${ChangeLine} key=${line.id} change=${line.change} />`;
      return html`<div class="day" role="row" key=${line.id}><span role="gridcell">${dayText(line.id)}</span></div>`;
    })}
    ${children}
  </div>`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

function dayText(day: string): string {
  return dayFormat.format(new Date(day));
}

function OneRow(props: ListProps & { readonly line: RowLine }): Part {
  const { line, at, open, findings, onPress } = props;
  const { id, outcome, newest, rows, isOpen } = line;
  const { status, fault } = newest;
  const who = newest.concerns ?? newest.publisher;
  const [clock, milliseconds] = newest.at.slice(11, -1).split(".");
  const subjects = subjectsOf(newest).map(printable);
  const credit = creditOf(rows);
  const marks = [...new Set(rows.flatMap(({ sequence }) => findings.get(sequence) ?? []))];
  const isShown = isOpen !== true && rows.some(({ sequence }) => sequence === open);
  const classes = [
    `row ${outcome.tone}`,
    isOpen !== undefined && "fold",
    id === at?.id && "cursor",
    isShown && "open",
  ];
  return html`<div id=${id} class=${classes.filter(Boolean).join(" ")} role="row"
    aria-selected=${isShown} aria-expanded=${isOpen} onClick=${() => onPress(line)}>
    <span role="gridcell" class="time">${clock}<i>.${milliseconds}</i></span>
    <span role="gridcell" class="sign" aria-hidden="true">${outcome.sign}</span>
    <span role="gridcell" class="what">${isOpen !== undefined && html`<b class="count">${rows.length} ×</b> `}<b>${operationText(newest)}</b>${" "}
      <span class="ids" title=${subjects.join("\n")}>${subjects.filter(Boolean).map(shortId).join(" · ")}</span></span>
    <span role="gridcell" class="publisher" title=${who}>${who === undefined ? "no valid key" : shortId(who)}</span>
    <span role="gridcell" class=${isPlain(outcome) ? "outcome plain" : "outcome"} title=${outcome.words}>${outcome.words}${
      fault !== undefined && html` <span class="rule">${fault.rule}</span>`
    }</span>
    <span role="gridcell" class="amount">${credit > 0 && `+${inr(Number(credit.toFixed(4)))}`}</span>
    <span role="gridcell" class="marks" title=${marks.join("\n")}>${
      marks.length > 0 &&
      html`⚠ ${marks.length}<span class="unseen"> ${counted(marks.length, "finding")}</span>`
    }</span>
    <span role="gridcell" class="status">${status === 0 ? "none" : status}</span>
    <span role="gridcell" class="number">${isOpen === undefined ? `#${newest.sequence}` : isOpen ? "▾" : "▸"}</span>
  </div>`;
}

function creditOf(rows: readonly Row[]): number {
  const recorded = rows.filter(({ effect }) => effect === "applied");
  return recorded.reduce((sum, { creditInr = 0 }) => sum + creditInr, 0);
}

/** The part of the world's drawer that shows what was changed. The clock is in the header. */
const sectionOf: Partial<Readonly<Record<Change["change"]["kind"], string>>> = {
  assume: "assumptions",
  fault: "faults",
  heal: "faults",
  "sign-up": "publishers",
  "rotate-key": "publishers",
  "set-surface": "publishers",
  replace: "state",
};

function ChangeLine({ change: { at, text, change } }: { readonly change: Change }): Part {
  const section = sectionOf[change.kind];
  const press = (): void => go({ at: undefined, ...(section && { view: "world", section }) });
  return html`<div class="change" role="row" onClick=${press}>
    <span role="gridcell" class="time">${at.slice(11, 19)}</span><span role="gridcell">${printable(text)}</span>
  </div>`;
}
