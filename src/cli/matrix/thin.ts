/** Leaves out the rows that cover nothing new: once keys are fixed, a covering array has more rows than it needs. */

import type { AssumptionKey, Assumptions } from "../../spec/assumptions/catalogue.ts";
import { type Departures, partsOf } from "./departures.ts";

interface Thinning {
  readonly defaults: Assumptions;
  readonly varied: readonly AssumptionKey[];
  readonly strength: number;
}

/** The rows, in their order, each of which holds `strength` choices that no earlier one holds together. */
export function thinned(
  rows: readonly Departures[],
  { defaults, varied, strength }: Thinning,
): readonly Departures[] {
  const numbers = new Map<string, number>();
  const numberOf = (choice: string): number => {
    const number = numbers.get(choice) ?? numbers.size;
    numbers.set(choice, number);
    return number;
  };
  const choicesOf = (row: Departures): number[] => {
    const departed = new Map(row.map((each) => [partsOf(each)[0], each]));
    return varied.map((key) => numberOf(departed.get(key) ?? `${key}=${defaults[key]}`));
  };
  const size = Math.min(strength, varied.length);
  const covered = new Set<number>();
  // The defaults are tried before any row.
  for (const combination of combinations(choicesOf([]), size)) covered.add(combination);
  return rows.filter((row) => {
    const before = covered.size;
    for (const combination of combinations(choicesOf(row), size)) covered.add(combination);
    return covered.size > before;
  });
}

/** More than there are choices in the catalogue, and small enough for three of them in one number. */
const BASE = 4096;

/** Every `size` of the numbers, in their order, as one number. */
function* combinations(numbers: readonly number[], size: number, from = 0): Generator<number> {
  if (size <= 0) {
    yield 0;
    return;
  }
  for (let at = from; at < numbers.length; at += 1) {
    const first = numbers[at] ?? 0;
    for (const rest of combinations(numbers, size - 1, at + 1)) yield first + BASE * rest;
  }
}
