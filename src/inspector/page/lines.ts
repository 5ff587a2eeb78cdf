/** What stands in the list, newest first: rows, runs of equal rows, changes, and a heading for each day. */

import type { Change, Item, Row } from "./contract.ts";
import { isRow, type Log } from "./log.ts";
import { type Outcome, outcomeOf } from "./words.ts";

/** A row, or equal neighbours in one. `id`: of its element. */
export interface RowLine {
  readonly kind: "row";
  readonly id: string;
  readonly outcome: Outcome;
  readonly newest: Row;
  /** All that it stands for, newest first. */
  readonly rows: readonly Row[];
  /** Of a run: whether its rows are listed below it. */
  readonly isOpen: boolean | undefined;
}

export type Line =
  | RowLine
  | { readonly kind: "change"; readonly id: string; readonly change: Change }
  | { readonly kind: "day"; readonly id: string };

/** Fewer equal rows stay as they are. */
const LEAST_FOLDED = 3;

/** `opened`: the ids of the runs that are unfolded. */
export function linesOf(items: readonly Item[], log: Log, opened: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  let run: RowLine[] = [];
  let day = "";
  const endRun = (): void => {
    lines.push(...folded(run, opened));
    run = [];
  };
  for (const item of items.toReversed()) {
    const itsDay = item.at.slice(0, 10);
    const line = isRow(item) ? lineOf(item, log) : undefined;
    if (itsDay !== day || line === undefined || keyOf(line) !== keyOf(run[0])) endRun();
    if (itsDay !== day) lines.push({ kind: "day", id: itsDay });
    day = itsDay;
    if (line !== undefined) run.push(line);
    if (!isRow(item)) lines.push({ kind: "change", id: `change-${item.number}`, change: item });
  }
  endRun();
  return lines;
}

function lineOf(row: Row, log: Log): RowLine {
  const outcome = outcomeOf(row, log.repeated(row));
  const id = `row-${row.sequence}`;
  return { kind: "row", id, outcome, newest: row, rows: [row], isOpen: undefined };
}

function folded(run: readonly RowLine[], opened: ReadonlySet<string>): readonly RowLine[] {
  const [newest] = run;
  if (newest === undefined || run.length < LEAST_FOLDED) return run;
  // The oldest one stays when more equal ones come.
  const id = `run-from-${run.at(-1)?.id}`;
  const isOpen = opened.has(id);
  const fold = { ...newest, id, rows: run.map((line) => line.newest), isOpen };
  return isOpen ? [fold, ...run] : [fold];
}

/** What is equal in equal rows. */
function keyOf(line: RowLine | undefined): string {
  if (line === undefined) return "";
  const { method, path, query, status, publisher, operation, event = {} } = line.newest;
  // The id of an impression is from its answer.
  const { impression_id, ...sent } = event;
  const about = operation === "click" ? impression_id : sent;
  return JSON.stringify([method, path, query, status, publisher, line.outcome.words, about]);
}
