/**
 * Covering arrays over the catalogue: few full assignments in which any few choices meet somewhere, so that a client
 * tried against each of them was tried against every combination of so many readings.
 */

import { InputError } from "../base/input.ts";
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
  type OpenPoint,
} from "../spec/assumptions/catalogue.ts";
import { type Constraint, constraints } from "../spec/assumptions/constraints.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { coveringRows } from "./covering/covering-rows.ts";
import type { Cell } from "./covering/rules.ts";

export interface CoveringArrayOptions {
  /** How many choices meet in every combination: 1 each choice, 2 each pair, 3 each three. */
  readonly strength: 1 | 2 | 3;
  /** Another seed gives another array that does as well. @default "adsim" */
  readonly seed?: string | undefined;
}

/** A key with the names of its choices, the default first. */
interface Column {
  readonly key: AssumptionKey;
  readonly choices: readonly string[];
}

/**
 * Full assignments, none of them twice, such that any `strength` choices of different keys that go together are in one
 * of them. The same for the same catalogue and seed.
 *
 * @throws InputError for another strength.
 */
export function coveringArray({
  strength,
  seed = "adsim",
}: CoveringArrayOptions): readonly Assumptions[] {
  if (![1, 2, 3].includes(strength)) throw new InputError("strength", "must be 1, 2 or 3");
  if (typeof seed !== "string") throw new InputError("seed", "must be a string");
  const columns = Object.entries<OpenPoint>(catalogue).map(([key, point]): Column => {
    const others = Object.keys(point.choices).filter((choice) => choice !== point.default);
    // The keys of the catalogue are its keys.
    return { key: key as AssumptionKey, choices: [point.default, ...others] };
  });
  const rows = coveringRows({
    levels: columns.map(({ choices }) => choices.length),
    forbidden: constraints.flatMap((constraint) => forbiddenBy(constraint, columns)),
    strength,
    seed,
  });
  return rows.map((row) =>
    resolveAssumptions(
      Object.fromEntries(
        columns.map(({ key, choices }, column) => [key, choices[row[column] ?? 0]]),
      ),
    ),
  );
}

/** The pairs that a constraint rules out. */
function forbiddenBy({ key, choices, needs }: Constraint, columns: readonly Column[]): Cell[][] {
  const cellsOf = (wanted: AssumptionKey, includes: (choice: string) => boolean): Cell[] =>
    columns.flatMap((column, index) =>
      column.key !== wanted
        ? []
        : column.choices.flatMap((choice, level) =>
            includes(choice) ? [{ column: index, level }] : [],
          ),
    );
  return cellsOf(key, (choice) => choices.includes(choice)).flatMap((left) =>
    cellsOf(needs.key, (choice) => choice !== needs.choice).map((right) => [left, right]),
  );
}
