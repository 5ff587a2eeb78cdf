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

/**
 * Distinct full assignments that together contain every combination of `strength` choices of different keys: always the same.
 *
 * @throws InputError for another strength.
 */
export function coveringArray({ strength }: CoveringArrayOptions): readonly Assumptions[] {
  switch (strength) {
    case 1:
      return choicesInTurn();
    case 2:
      return pairRows.map((row) => assignment((place) => Number(row[place])));
    case 3:
      return tripleRows.map((row) => assignment((place) => Number(row[place])));
    default:
      throw new InputError("strength", "must be 1, 2 or 3");
  }
}

const points: readonly (readonly [string, readonly string[]])[] = Object.entries<Assumption>(
  catalogue,
).map(([key, point]) => [key, choicesOf(point)]);

/** As many rows as the key with the most choices has. */
function choicesInTurn(): readonly Assumptions[] {
  const length = Math.max(...points.map(([, choices]) => choices.length));
  return Array.from({ length }, (_, row) => assignment(() => row));
}

/** @param numberAt The number of the choice of the key in this place; past the last choice comes the first. */
function assignment(numberAt: (place: number) => number): Assumptions {
  return resolveAssumptions(
    Object.fromEntries(
      points.map(([key, choices], place) => [key, choices[numberAt(place) % choices.length]]),
    ),
  );
}
