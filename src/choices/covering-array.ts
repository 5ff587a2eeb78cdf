/**
 * Covering arrays over the catalogue: a small number of full assignments that together contain every pair (or triple) of
 * choices, so that a client tried against all of them was tried against every such combination.
 */

import { InputError } from "../base/input.ts";
import {
  type Assumption,
  type Assumptions,
  catalogue,
  choicesOf,
} from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { pairRows, tripleRows } from "./covering-rows.ts";

export interface CoveringArrayOptions {
  /** 1 covers every choice, 2 every pair of choices, 3 every triple. */
  readonly strength: 1 | 2 | 3;
}

const points = Object.entries<Assumption>(catalogue).map(
  ([key, point]) => [key, choicesOf(point)] as const,
);

/** As many rows as the key with the most choices has. */
const rowsInTurn = Array.from(
  { length: Math.max(...points.map(([, choices]) => choices.length)) },
  (_, row) => String(row).repeat(points.length),
);

/**
 * Distinct full assignments that together contain every combination of `strength` choices of different keys: always the same.
 *
 * @throws InputError for another strength.
 */
export function coveringArray({ strength }: CoveringArrayOptions): readonly Assumptions[] {
  const rows = [undefined, rowsInTurn, pairRows, tripleRows][strength];
  if (rows === undefined) throw new InputError("strength", "must be 1, 2 or 3");
  return rows.map((row) => {
    // Past the last choice comes the first.
    const chosen = points.map(([key, choices], place) => {
      return [key, choices[Number(row[place]) % choices.length]];
    });
    return resolveAssumptions(Object.fromEntries(chosen));
  });
}
