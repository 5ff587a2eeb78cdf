/** Sets of choices that differ from the defaults, written as `--assume` takes them. */

import { type Assumption, catalogue } from "../spec/assumptions/catalogue.ts";

/** `KEY=CHOICE`. */
export type ChoiceOverride = string;

/** In the order of the catalogue, at most one per key. */
export type ChoiceOverrides = readonly ChoiceOverride[];

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
  const byName = new Map<string, ChoiceOverrides>();
  for (const set of sets) if (!byName.has(nameOf(set))) byName.set(nameOf(set), set);
  return [...byName.values()];
}

const places: ReadonlyMap<ChoiceOverride, number> = new Map(
  Object.entries<Assumption>(catalogue)
    .flatMap(([key, { choices }]) => Object.keys(choices).map((choice) => `${key}=${choice}`))
    .map((override, place) => [override, place]),
);

/** Sorts smaller sets first, and sets of one size in the order of the catalogue. */
export function compareSets(left: ChoiceOverrides, right: ChoiceOverrides): number {
  if (left.length !== right.length) return left.length - right.length;
  const at = left.findIndex((override, index) => override !== right[index]);
  return at === -1 ? 0 : placeOf(left[at] ?? "") - placeOf(right[at] ?? "");
}

function placeOf(override: ChoiceOverride): number {
  return places.get(override) ?? places.size;
}
