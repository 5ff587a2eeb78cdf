/** Sets of choices that differ from the defaults, as texts that `--assume` takes. */

import { catalogue, type OpenPoint } from "../spec/assumptions/catalogue.ts";

/** `KEY=CHOICE`. */
export type Departure = string;

/** In the order of the catalogue, at most one a key. */
export type Departures = readonly Departure[];

/** One text for one set of departures. */
export function nameOf(departures: Departures): string {
  return departures.join("+");
}

/** Key and choice of a departure. No key has an equals sign. */
export function partsOf(departure: Departure): readonly [key: string, choice: string] {
  const at = departure.indexOf("=");
  return [departure.slice(0, at), departure.slice(at + 1)];
}

/** Whether every departure of `some` is one of `all`. */
export function isWithin(some: Departures, all: Departures): boolean {
  return some.every((departure) => all.includes(departure));
}

export function without(departures: Departures, left: Departures): Departures {
  return departures.filter((departure) => !left.includes(departure));
}

/** Each set once, where it came first. */
export function distinct(sets: readonly Departures[]): readonly Departures[] {
  const byName = new Map<string, Departures>();
  for (const set of sets) if (!byName.has(nameOf(set))) byName.set(nameOf(set), set);
  return [...byName.values()];
}

const places: ReadonlyMap<Departure, number> = new Map(
  Object.entries<OpenPoint>(catalogue)
    .flatMap(([key, { choices }]) => Object.keys(choices).map((choice) => `${key}=${choice}`))
    .map((departure, place) => [departure, place]),
);

/** By the catalogue. */
export function inOrder(departures: Departures): Departures {
  return [...departures].sort((left, right) => placeOf(left) - placeOf(right));
}

/** The smaller sets first, those of one size by the catalogue. */
export function compareSets(left: Departures, right: Departures): number {
  if (left.length !== right.length) return left.length - right.length;
  const at = left.findIndex((departure, index) => departure !== right[index]);
  return at === -1 ? 0 : placeOf(left[at] ?? "") - placeOf(right[at] ?? "");
}

function placeOf(departure: Departure): number {
  return places.get(departure) ?? places.size;
}
