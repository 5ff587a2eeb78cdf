/**
 * Covering arrays over plain level counts. The widest columns begin as their full product, which no array can do
 * without; the other columns are filled within those rows, one after the other, as far as that can be done.
 */

import { assert } from "../../base/assert.ts";
import { deriveKey, drawBetween } from "../../base/random.ts";
import { Coverage } from "./coverage.ts";
import { type FillOptions, fillColumn } from "./fill-column.ts";
import { type Cell, createRules, OPEN, type Row } from "./rules.ts";

export interface CoveringProblem {
  /** How many levels each column has, at least one each. */
  readonly levels: readonly number[];
  /** Cells that no row may hold all of. */
  readonly forbidden?: readonly (readonly Cell[])[];
  /** How many columns are looked at together: of each so many, every combination of levels is in a row. */
  readonly strength: number;
  readonly seed: string;
}

/** How often it is tried where more rows than the product were needed. The fewest win. */
const ATTEMPTS = 4;

/**
 * Rows that have, of any `strength` columns, each combination of levels that an allowed row can have. No row twice.
 * The same rows for the same shape and seed.
 */
export function coveringRows({ levels, forbidden = [], strength, seed }: CoveringProblem): Row[] {
  assert(levels.length > 0, "There are columns to cover.");
  assert(
    levels.every((count) => count > 0),
    "Each column has a level.",
  );
  const { order, placeOf } = widestFirst(levels);
  const sorted = order.map((column) => levels[column] ?? 0);
  const fixed = Math.min(strength, levels.length);
  const rules = createRules(
    sorted,
    forbidden.map((cells) =>
      cells.map(({ column, level }) => ({ column: placeOf[column] ?? OPEN, level })),
    ),
  );
  const product = combinations(sorted, fixed).filter(rules.isExtendable);
  if (product.length === 0) return [];
  let best: Row[] | undefined;
  for (let attempt = 0; attempt < ATTEMPTS && best?.length !== product.length; attempt += 1) {
    const draw = createDraw(seed, strength, attempt);
    const tooManyRows = best?.length ?? Number.POSITIVE_INFINITY;
    best = build(product, { levels: sorted, fixed, rules, draw, tooManyRows }) ?? best;
  }
  return (best ?? []).map((row) => placeOf.map((place) => row[place] ?? OPEN));
}

/** The columns by how many levels they have, equal ones in their order, and by column its place in that order. */
function widestFirst(levels: readonly number[]): { order: number[]; placeOf: number[] } {
  const order = [...levels.keys()].sort((a, b) => (levels[b] ?? 0) - (levels[a] ?? 0));
  const placeOf = levels.map((_, column) => order.indexOf(column));
  return { order, placeOf };
}

/** Every combination of levels of the first columns, the other columns open. */
function combinations(levels: readonly number[], columns: number): Row[] {
  let rows: Row[] = [levels.map(() => OPEN)];
  for (let column = 0; column < columns; column += 1) {
    rows = rows.flatMap((row) =>
      Array.from({ length: levels[column] ?? 0 }, (_, level) => row.with(column, level)),
    );
  }
  return rows;
}

function createDraw(seed: string, strength: number, attempt: number): FillOptions["draw"] {
  const key = deriveKey(seed, "covering array", strength, attempt);
  let drawn = 0;
  return (below) => {
    drawn += 1;
    return drawBetween(key, drawn, 0, below - 1);
  };
}

/** An array that begins with the product, if this attempt comes to one of few enough rows. */
function build(product: readonly Row[], options: FillOptions): Row[] | undefined {
  const { levels, fixed, rules } = options;
  const coverage = new Coverage({ levels, strength: fixed, rules });
  for (let column = 0; column < fixed; column += 1) coverage.addColumn();
  for (const row of product) coverage.addRow([...row]);
  for (let column = fixed; column < levels.length; column += 1) {
    if (!fillColumn(coverage, options)) return undefined;
  }
  return coverage.necessaryRows();
}
