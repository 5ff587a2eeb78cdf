/** Plans a matrix: the defaults with the user's pins, and rows of overrides to try. */

import { type AssumptionKey, type Assumptions, catalogue } from "../spec/assumptions/catalogue.ts";
import { nonDefaultChoices, resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { type ChoiceOverrides, distinct, keyAndChoiceOf } from "./choice-overrides.ts";

/** In the order of the catalogue. */
export const allKeys: readonly AssumptionKey[] = Object.keys(catalogue) as AssumptionKey[];

export interface MatrixPlan {
  readonly defaults: Assumptions;
  /** Choices of all runs that aren't the catalogue's defaults. */
  readonly pins: ChoiceOverrides;
  /** Keys that are varied. */
  readonly varied: readonly AssumptionKey[];
  readonly rows: readonly ChoiceOverrides[];
  /** The plan for only some of its keys: `ran`, and the rows that these leave to be run. */
  varying(keys: readonly AssumptionKey[], ran: readonly ChoiceOverrides[]): MatrixPlan;
  /** The assumptions with these overrides. */
  assumptionsWith(overrides: ChoiceOverrides): Assumptions;
}

export interface PlanOptions {
  /** Choices by key for all runs. */
  readonly pinned: Readonly<Record<string, string>>;
  /** Keys to vary; undefined for all that aren't pinned. */
  readonly only: readonly AssumptionKey[] | undefined;
  readonly strength: 1 | 2 | 3;
  /** A covering array of that strength over all keys. */
  readonly array: readonly Assumptions[];
  /** Rows that were run before. @default none */
  readonly ran?: readonly ChoiceOverrides[] | undefined;
}

export function makePlan(options: PlanOptions): MatrixPlan {
  const { pinned, only, strength, array, ran = [] } = options;
  const defaults = resolveAssumptions(pinned);
  const open = allKeys.filter((key) => Object.keys(catalogue[key].choices).length > 1);
  const varied = open.filter(
    (key) => !Object.hasOwn(pinned, key) && (only === undefined || only.includes(key)),
  );

  function assumptionsWith(overrides: ChoiceOverrides): Assumptions {
    const chosen = Object.fromEntries(overrides.map((override) => keyAndChoiceOf(override)));
    return resolveAssumptions({ ...defaults, ...chosen });
  }

  const overrides = array.map((row) =>
    varied.filter((key) => row[key] !== defaults[key]).map((key) => `${key}=${row[key]}`),
  );
  // The defaults are always tried.
  const rows = distinct(overrides).filter(({ length }) => length > 0);
  const isWhole = varied.length === open.length;
  return {
    defaults,
    pins: Object.entries(nonDefaultChoices(defaults)).map(([key, choice]) => `${key}=${choice}`),
    varied,
    rows:
      isWhole && ran.length === 0
        ? rows
        : [...ran, ...withoutRedundantRows(rows, { defaults, varied, strength, ran })],
    varying: (keys, before) => makePlan({ ...options, only: keys, ran: before }),
    assumptionsWith,
  };
}

interface Thinning {
  readonly defaults: Assumptions;
  readonly varied: readonly AssumptionKey[];
  readonly strength: number;
  readonly ran: readonly ChoiceOverrides[];
}

/**
 * Leaves out rows that cover nothing new. With some keys fixed, a covering array has more rows than it needs. Each remaining
 * row has `strength` choices that no earlier row has together.
 */
function withoutRedundantRows(
  rows: readonly ChoiceOverrides[],
  { defaults, varied, strength, ran }: Thinning,
): readonly ChoiceOverrides[] {
  const numbers = new Map<string, number>();
  const numberOf = (choice: string): number => {
    const number = numbers.get(choice) ?? numbers.size;
    numbers.set(choice, number);
    return number;
  };
  const choicesOf = (row: ChoiceOverrides): number[] => {
    const overridden = new Map(row.map((each) => [keyAndChoiceOf(each)[0], each]));
    return varied.map((key) => numberOf(overridden.get(key) ?? `${key}=${defaults[key]}`));
  };
  const size = Math.min(strength, varied.length);
  const covered = new Set<number>();
  // The defaults are tried before any row.
  for (const row of [[], ...ran]) {
    for (const combination of combinations(choicesOf(row), size)) covered.add(combination);
  }
  return rows.filter((row) => {
    const before = covered.size;
    for (const combination of combinations(choicesOf(row), size)) covered.add(combination);
    return covered.size > before;
  });
}

/** Larger than the number of choices in the catalogue, and small enough to encode three of them in one number. */
const BASE = 4096;

/** Every combination of `size` numbers, in their order, encoded as one number. */
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
