/** Changes an answer under `response.form=evolved`: adds fields that the spec doesn't list, and changes the order of the keys. */

import { isPlainObject } from "../base/input.ts";
import { deriveKey, drawsFrom, type NextDraw, textKey } from "../base/random.ts";

type Member = readonly [name: string, value: unknown];

/** The members that every object gets, and those of the outermost one. */
const inner: readonly Member[] = [
  ["x_note", "A field that the specification does not list"],
  ["x_reserved", null],
];
const outermost: readonly Member[] = [...inner, ["x_context", { source: "adsim" }]];

/** The seed and the body itself decide the order. */
export function createEvolver(seed: string): (body: object) => unknown {
  const orderKey = deriveKey(seed, "key-order");
  return (body) => {
    const draw = drawsFrom(textKey(orderKey, JSON.stringify(body)));
    return evolved(body, outermost, draw);
  };
}

function evolved(value: unknown, added: readonly Member[], draw: NextDraw): unknown {
  if (Array.isArray(value)) return value.map((item) => evolved(item, added, draw));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(
    ([name, member]): Member => [name, evolved(member, inner, draw)],
  );
  return Object.fromEntries(shuffled([...members, ...added], members.length, draw));
}

/** Any order but the documented one: the first `documented` members are never in their usual order relative to each other. */
function shuffled(
  members: readonly Member[],
  documented: number,
  draw: NextDraw,
): readonly Member[] {
  const places = members.map((_, place) => place);
  for (let last = places.length - 1; last > 0; last -= 1) swap(places, last, draw(last + 1));
  // A single documented member has no order, so the order of all members counts.
  const decisive = documented > 1 ? documented : places.length;
  const isUsual = places.filter((place) => place < decisive).every((place, at) => place === at);
  if (isUsual) swap(places, places.indexOf(0), places.indexOf(1));
  return places.flatMap((place) => members.slice(place, place + 1));
}

function swap(places: number[], one: number, other: number): void {
  const before = places[one] ?? 0;
  places[one] = places[other] ?? 0;
  places[other] = before;
}
