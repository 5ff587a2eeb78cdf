/** Plans a matrix: the defaults with the user's pins, and rows to try, which are sets of choices that differ from the defaults. */

import { type AssumptionKey, type Assumptions, catalogue } from "../spec/assumptions/catalogue.ts";
import { nonDefaultChoices, resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { coveringArray } from "./covering-array.ts";

/** In the order of the catalogue. */
export const allKeys: readonly AssumptionKey[] = Object.keys(catalogue) as AssumptionKey[];

/** `KEY=CHOICE`. */
export type ChoiceOverride = string;

/** In the order of the catalogue, at most one per key. */
export type ChoiceOverrides = readonly ChoiceOverride[];

export interface MatrixPlan {
  readonly defaults: Assumptions;
  /** Choices of all runs that aren't the catalogue's defaults. */
  readonly pins: ChoiceOverrides;
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
  /** Rows that were run before. @default none */
  readonly ran?: readonly ChoiceOverrides[] | undefined;
}

export function makePlan(options: PlanOptions): MatrixPlan {
  const { pinned, only, strength, ran = [] } = options;
  const defaults = resolveAssumptions(pinned);
  const varied = allKeys.filter(
    (key) => !Object.hasOwn(pinned, key) && (only === undefined || only.includes(key)),
  );
  const overrides = coveringArray({ strength }).map((row) =>
    varied.filter((key) => row[key] !== defaults[key]).map((key) => `${key}=${row[key]}`),
  );
  return {
    defaults,
    pins: Object.entries(nonDefaultChoices(defaults)).map(([key, choice]) => `${key}=${choice}`),
    varied,
    rows: [...ran, ...withoutRedundantRows(overrides, varied, options)],
    varying: (keys, before) => makePlan({ ...options, only: keys, ran: before }),
    assumptionsWith: (row) =>
      resolveAssumptions({ ...defaults, ...Object.fromEntries(row.map(keyAndChoiceOf)) }),
  };
}

/**
 * Leaves out rows that cover nothing new. With some keys fixed, a covering array has more rows than it needs. Each remaining
 * row has `strength` choices that no earlier row has together.
 */
function withoutRedundantRows(
  rows: readonly ChoiceOverrides[],
  varied: readonly AssumptionKey[],
  { strength, ran = [] }: PlanOptions,
): readonly ChoiceOverrides[] {
  const covered = new Set<string>();
  const coversMore = (row: ChoiceOverrides): boolean => {
    const before = covered.size;
    const overridden = new Map(row.map((each) => [keyAndChoiceOf(each)[0], each]));
    const choices = varied.map((key) => overridden.get(key) ?? key);
    const size = Math.min(strength, choices.length);
    for (const combination of combinationsOf(choices, size)) covered.add(combination);
    return covered.size > before;
  };
  // The defaults are tried before any row.
  for (const row of [[], ...ran]) coversMore(row);
  return rows.filter(coversMore);
}

/** Every combination of so many of the texts, in their order. */
function combinationsOf(texts: readonly string[], size: number): readonly string[] {
  if (size === 0) return [""];
  return texts.flatMap((text, place) =>
    combinationsOf(texts.slice(place + 1), size - 1).map((rest) => `${text} ${rest}`),
  );
}

/** Equal for equal sets. */
export function nameOf(overrides: ChoiceOverrides): string {
  return overrides.join("+");
}

/** Splits at the first equals sign, because no key has one. */
export function keyAndChoiceOf(override: ChoiceOverride): readonly [key: string, choice: string] {
  const at = override.indexOf("=");
  return [override.slice(0, at), override.slice(at + 1)];
}

/** Whether every override of `some` is one of `all`. */
export function isWithin(some: ChoiceOverrides, all: ChoiceOverrides): boolean {
  return some.every((override) => all.includes(override));
}

export function without(overrides: ChoiceOverrides, left: ChoiceOverrides): ChoiceOverrides {
  return overrides.filter((override) => !left.includes(override));
}

/** Drops repeated sets. */
export function distinct(sets: readonly ChoiceOverrides[]): readonly ChoiceOverrides[] {
  return [...new Map(sets.map((set) => [nameOf(set), set])).values()];
}

/** Sorts smaller sets first, and sets of one size by name. */
export function compareSets(left: ChoiceOverrides, right: ChoiceOverrides): number {
  return left.length - right.length || (nameOf(left) < nameOf(right) ? -1 : 1);
}
