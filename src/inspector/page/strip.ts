/** A strip over the list with a mark where something went wrong for the client or a fault acted. A click jumps there. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { Row } from "./contract.ts";
import { isWrong } from "./filter.ts";
import { isRow, type Log } from "./log.ts";
import type { Part } from "./parts.ts";
import { operationText, outcomeOf } from "./words.ts";

const PLACES = 160;

interface Mark {
  readonly place: number;
  readonly row: Row;
  readonly count: number;
}

/** Oldest first. */
export function marked(log: Log): readonly Row[] {
  return log.items.filter(isRow).filter((row) => isWrong(row) || row.fault !== undefined);
}

export function Strip(props: { readonly log: Log; onGo(sequence: number): void }): Part {
  const { log, onGo } = props;
  const [hovered, hover] = useState<Mark>();
  const marks = marksOf(log);
  if (marks.length === 0) return null;
  const shown = hovered ?? marks.at(-1);
  return html`<div class="strip" onMouseLeave=${() => hover(undefined)}>
    <svg viewBox=${`0 0 ${PLACES} 24`} preserveAspectRatio="none" aria-hidden="true">
      ${marks.map(
        (
          mark,
        ) => html`<g key=${mark.place} onMouseEnter=${() => hover(mark)} onClick=${() => onGo(mark.row.sequence)}>
          <rect class="reach" x=${mark.place - 1} y="0" width="3" height="24" />
          <rect class=${isWrong(mark.row) ? "wrong" : "fault"} x=${mark.place} y=${isWrong(mark.row) ? 2 : 9}
            width="0.8" height=${isWrong(mark.row) ? 20 : 13} /></g>`,
      )}
    </svg>
    <p class="quiet">${shown && textOf(shown, log)}</p>
  </div>`;
}

function textOf({ row, count }: Mark, log: Log): string {
  const { words } = outcomeOf(row, log.repeated(row));
  const more = count > 1 ? `, and ${count - 1} more here` : "";
  return `#${row.sequence} ${operationText(row)}: ${words}${row.fault === undefined ? "" : ` (${row.fault.rule})`}${more}`;
}

/** A place shows the first error there, else the first fault. */
function marksOf(log: Log): readonly Mark[] {
  const rows = log.items.filter(isRow);
  const [first = 0, last = 0] = [rows[0]?.sequence, rows.at(-1)?.sequence];
  const marks = new Map<number, Mark>();
  for (const row of marked(log)) {
    const share = (row.sequence - first) / Math.max(1, last - first);
    const place = Math.round(share * (PLACES - 1));
    const other = marks.get(place);
    const isShown = other === undefined || (isWrong(row) && !isWrong(other.row));
    marks.set(place, { place, row: isShown ? row : other.row, count: (other?.count ?? 0) + 1 });
  }
  return [...marks.values()];
}
