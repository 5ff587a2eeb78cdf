/**
 * Covering arrays over the catalogue: a small number of full assignments that together contain every pair (or triple) of
 * choices, so that a client tried against all of them was tried against every such combination.
 */

import { InputError } from "../base/input.ts";
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
  choicesOf,
  type OpenPoint,
} from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { coveringRows } from "./covering/covering-rows.ts";

export interface CoveringArrayOptions {
  /** 1 covers every choice, 2 every pair of choices, 3 every triple. */
  readonly strength: 1 | 2 | 3;
  /** Another seed gives another, equally good array. @default "adsim" */
  readonly seed?: string | undefined;
}

/** A key with its choices, the default first. */
interface Column {
  readonly key: AssumptionKey;
  readonly choices: readonly string[];
}

/**
 * Distinct full assignments that together contain every combination of `strength` choices of different keys. The same
 * catalogue and seed give the same assignments.
 *
 * @throws InputError for another strength.
 */
export function coveringArray({
  strength,
  seed = "adsim",
}: CoveringArrayOptions): readonly Assumptions[] {
  if (![1, 2, 3].includes(strength)) throw new InputError("strength", "must be 1, 2 or 3");
  if (typeof seed !== "string") throw new InputError("seed", "must be a string");
  const columns = Object.entries<OpenPoint>(catalogue).map(
    // `key` comes from the catalogue.
    ([key, point]): Column => ({ key: key as AssumptionKey, choices: choicesOf(point) }),
  );
  const rows = coveringRows({
    levels: columns.map(({ choices }) => choices.length),
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
