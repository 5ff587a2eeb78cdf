/**
 * Covering arrays over plain level counts. They start with the full product of the widest columns, which every array needs.
 * The other columns are filled in one after the other, and new rows are added only if necessary.
 */

import { assert } from "../../base/assert.ts";
import { deriveKey, drawsFrom } from "../../base/random.ts";
import { Coverage } from "./coverage.ts";
import { type FillOptions, fillColumn } from "./fill-column.ts";
import { type Cell, createRules, OPEN, type Row } from "./rules.ts";

export interface CoveringProblem {
  /** How many levels each column has, at least one each. */
  readonly levels: readonly number[];
  /** Combinations of cells that no row may contain. */
  readonly forbidden?: readonly (readonly Cell[])[];
  /** Rows cover every combination of levels of this many columns. */
  readonly strength: number;
  readonly seed: string;
}

/** How many attempts to make while more rows than the product are needed. The attempt with the fewest rows wins. */
const ATTEMPTS = 4;

/**
 * Distinct rows that contain, for any `strength` columns, every combination of levels that an allowed row can have. The same
 * problem and seed give the same rows.
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
    const draw = drawsFrom(deriveKey(seed, "covering array", strength, attempt));
    const tooManyRows = best?.length ?? Number.POSITIVE_INFINITY;
    best = build(product, { levels: sorted, fixed, rules, draw, tooManyRows }) ?? best;
  }
  return (best ?? []).map((row) => placeOf.map((place) => row[place] ?? OPEN));
}

/** `order`: columns by descending number of levels. `placeOf`: each column's place in that order. */
function widestFirst(levels: readonly number[]): { order: number[]; placeOf: number[] } {
  const order = [...levels.keys()].sort((a, b) => (levels[b] ?? 0) - (levels[a] ?? 0));
  const placeOf = levels.map((_, column) => order.indexOf(column));
  return { order, placeOf };
}

/** Every combination of levels of the first columns, with the other columns open. */
function combinations(levels: readonly number[], columns: number): Row[] {
  let rows: Row[] = [levels.map(() => OPEN)];
  for (let column = 0; column < columns; column += 1) {
    rows = rows.flatMap((row) =>
      Array.from({ length: levels[column] ?? 0 }, (_, level) => row.with(column, level)),
    );
  }
  return rows;
}

/** An array that begins with the product; undefined if this attempt needs too many rows. */
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
