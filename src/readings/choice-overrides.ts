/** Sets of choices that differ from the defaults, as texts that `--assume` takes. */

import { catalogue, type OpenPoint } from "../spec/assumptions/catalogue.ts";

/** `KEY=CHOICE`. */
export type ChoiceOverride = string;

/** In the order of the catalogue, at most one a key. */
export type ChoiceOverrides = readonly ChoiceOverride[];

/** One text for one set of overrides. */
export function nameOf(overrides: ChoiceOverrides): string {
  return overrides.join("+");
}

/** Key and choice of a override. No key has an equals sign. */
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

/** Each set once, where it came first. */
export function distinct(sets: readonly ChoiceOverrides[]): readonly ChoiceOverrides[] {
  const byName = new Map<string, ChoiceOverrides>();
  for (const set of sets) if (!byName.has(nameOf(set))) byName.set(nameOf(set), set);
  return [...byName.values()];
}

const places: ReadonlyMap<ChoiceOverride, number> = new Map(
  Object.entries<OpenPoint>(catalogue)
    .flatMap(([key, { choices }]) => Object.keys(choices).map((choice) => `${key}=${choice}`))
    .map((override, place) => [override, place]),
);

/** By the catalogue. */
export function inCatalogueOrder(overrides: ChoiceOverrides): ChoiceOverrides {
  return [...overrides].sort((left, right) => placeOf(left) - placeOf(right));
}

/** The smaller sets first, those of one size by the catalogue. */
export function compareSets(left: ChoiceOverrides, right: ChoiceOverrides): number {
  if (left.length !== right.length) return left.length - right.length;
  const at = left.findIndex((override, index) => override !== right[index]);
  return at === -1 ? 0 : placeOf(left[at] ?? "") - placeOf(right[at] ?? "");
}

function placeOf(override: ChoiceOverride): number {
  return places.get(override) ?? places.size;
}
