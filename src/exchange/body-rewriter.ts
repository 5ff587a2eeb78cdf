/**
 * Rewrites a finished JSON body under `response.form=evolved`: adds fields that the spec doesn't list, and changes the order
 * of the keys. Works on the text, so that operations needn't know about it and numbers keep their spelling.
 */

import { rewriteObjects } from "../base/json-objects.ts";
import { deriveKey, drawsFrom, type NextDraw, textKey } from "../base/random.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";

/** Rewrites a body. It adds only ASCII, so the body grows by as many bytes as characters. */
export type BodyRewriter = (body: string) => string;

/** The members that every object gets, and those of the outermost one. */
const inner = ['"x_note":"A field that the specification does not list"', '"x_reserved":null'];
const outermost = [...inner, '"x_context":{"source":"adsim"}'];

/** Undefined if bodies don't change. */
export function createBodyRewriter(
  assumptions: Assumptions,
  seed: string,
): BodyRewriter | undefined {
  if (assumptions["response.form"] === "documented") return undefined;
  const orderKey = deriveKey(seed, "key-order");
  return (body) => {
    const draw = drawsFrom(textKey(orderKey, body));
    return rewriteObjects(body, (members, depth) => {
      const added = depth === 0 ? outermost : inner;
      return shuffled([...members, ...added], members.length, draw);
    });
  };
}

/** Any order but the documented one: the first `documented` members are never in their usual order relative to each other. */
function shuffled(
  members: readonly string[],
  documented: number,
  draw: NextDraw,
): readonly string[] {
  const places = members.map((_, place) => place);
  for (let last = places.length - 1; last > 0; last -= 1) swap(places, last, draw(last + 1));
  // A single documented member has no order, so the order of all members counts.
  const decisive = documented > 1 ? documented : places.length;
  const order = places.filter((place) => place < decisive);
  if (decisive > 1 && order.every((place, index) => place === index)) {
    swap(places, places.indexOf(0), places.indexOf(1));
  }
  return places.map((place) => members[place] ?? "");
}

function swap(places: number[], one: number, other: number): void {
  const before = places[one] ?? 0;
  places[one] = places[other] ?? 0;
  places[other] = before;
}
