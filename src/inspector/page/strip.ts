/** A strip over the list with a mark where something went wrong for the client or a fault acted. A click jumps there. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { Row } from "./contract.ts";
import { isWrong } from "./filter.ts";
import { isRow, type Log } from "./log.ts";
import type { Part } from "./parts.ts";
import { operationText, outcomeOf } from "./words.ts";

const PLACES = 160;

/** Oldest first. */
export function marked(log: Log): readonly Row[] {
  return log.items.filter(isRow).filter((row) => row.fault !== undefined || isWrong(row));
}

export function Strip(props: { readonly log: Log; onGo(sequence: number): void }): Part {
  const { log, onGo } = props;
  const [hovered, hover] = useState<Row>();
  const marks = marksOf(log);
  const shown = hovered ?? [...marks.values()].at(-1);
  if (shown === undefined) return null;
  const { words } = outcomeOf(shown, log.repeated(shown));
  return html`<div class="strip" onMouseLeave=${() => hover(undefined)}>
    <svg viewBox=${`0 0 ${PLACES} 24`} preserveAspectRatio="none" aria-hidden="true">
      ${[...marks].map(
        ([place, row]) => html`<g key=${place} class=${isWrong(row) ? "wrong" : "fault"}
          onMouseEnter=${() => hover(row)} onClick=${() => onGo(row.sequence)}>
          <rect class="reach" x=${place - 1} width="3" height="24" />
          <rect x=${place} y=${isWrong(row) ? 2 : 9} width="0.8" height=${isWrong(row) ? 20 : 13} /></g>`,
      )}
    </svg>
    <p class="quiet">#${shown.sequence} ${operationText(shown)}: ${words}${shown.fault && ` (${shown.fault.rule})`}</p>
  </div>`;
}

/** By their places. One place shows its latest error, else its latest fault. */
function marksOf(log: Log): ReadonlyMap<number, Row> {
  const rows = log.items.filter(isRow);
  const [first = 0, last = 0] = [rows[0]?.sequence, rows.at(-1)?.sequence];
  const marks = new Map<number, Row>();
  for (const row of marked(log)) {
    const share = (row.sequence - first) / Math.max(1, last - first);
    const place = Math.round(share * (PLACES - 1));
    const other = marks.get(place);
    if (other === undefined || isWrong(row) || !isWrong(other)) marks.set(place, row);
  }
  return marks;
}
