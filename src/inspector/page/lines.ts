/** What stands in the list, newest first: rows, runs of equal rows, changes, and a heading for each day. */

import type { Change, Item, Row } from "./contract.ts";
import { isRow, type Log } from "./log.ts";
import { type Outcome, outcomeOf } from "./words.ts";

export interface RowLine {
  readonly kind: "row";
  readonly row: Row;
  readonly outcome: Outcome;
}

/** Equal neighbours, newest first. */
export interface FoldLine {
  readonly kind: "fold";
  readonly rows: readonly Row[];
  readonly outcome: Outcome;
  readonly isOpen: boolean;
}

export type Line =
  | RowLine
  | FoldLine
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "day"; readonly day: string };

/** Fewer equal rows stay as they are. */
const LEAST_FOLDED = 3;

/** `opened`: the oldest rows of the runs that are unfolded. */
export function linesOf(items: readonly Item[], log: Log, opened: ReadonlySet<number>): Line[] {
  const lines: Line[] = [];
  let run: RowLine[] = [];
  let day = "";
  const endRun = (): void => {
    lines.push(...folded(run, opened));
    run = [];
  };
  for (const item of items.toReversed()) {
    const line: RowLine | undefined = isRow(item)
      ? { kind: "row", row: item, outcome: outcomeOf(item, log.repeated(item)) }
      : undefined;
    const itsDay = item.at.slice(0, 10);
    const isEqual = line !== undefined && run[0] !== undefined && keyOf(run[0]) === keyOf(line);
    if (!isEqual || itsDay !== day) endRun();
    if (itsDay !== day) lines.push({ kind: "day", day: itsDay });
    day = itsDay;
    if (line !== undefined) run.push(line);
    else if (!isRow(item)) lines.push({ kind: "change", change: item });
  }
  endRun();
  return lines;
}

function folded(run: readonly RowLine[], opened: ReadonlySet<number>): readonly Line[] {
  const [newest] = run;
  if (newest === undefined || run.length < LEAST_FOLDED) return run;
  const rows = run.map(({ row }) => row);
  const isOpen = opened.has(rows.at(-1)?.sequence ?? 0);
  const fold: FoldLine = { kind: "fold", rows, outcome: newest.outcome, isOpen };
  return isOpen ? [fold, ...run] : [fold];
}

function keyOf({ row, outcome }: RowLine): string {
  const { method, path, query, status, publisher, operation, event = {} } = row;
  // The id of an impression is from its answer.
  const { impression_id, ...sent } = event;
  const about = operation === "click" ? impression_id : sent;
  return JSON.stringify([method, path, query, status, publisher, outcome.words, about]);
}

/** The row that a line stands for; for a run the newest. */
export function rowOf(line: Line | undefined): Row | undefined {
  if (line?.kind === "fold") return line.rows[0];
  return line?.kind === "row" ? line.row : undefined;
}

/** The index of the line that shows this exchange. */
export function lineWith(lines: readonly Line[], sequence: number | undefined): number {
  const own = lines.findIndex((line) => line.kind === "row" && line.row.sequence === sequence);
  if (own !== -1) return own;
  return lines.findIndex(
    (line) => line.kind === "fold" && line.rows.some((row) => row.sequence === sequence),
  );
}
