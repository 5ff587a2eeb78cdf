/** Sets of choices that differ from the defaults, written as `--assume` takes them. */

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
  return [...new Map(sets.map((set) => [nameOf(set), set])).values()];
}

/** Sorts smaller sets first, and sets of one size by name. */
export function compareSets(left: ChoiceOverrides, right: ChoiceOverrides): number {
  return left.length - right.length || (nameOf(left) < nameOf(right) ? -1 : 1);
}
