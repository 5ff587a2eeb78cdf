/**
 * What is done to a finished JSON body: fields that the spec doesn't list, another order of the keys (spec §2 shows
 * one). The text is rewritten, so that the operations know nothing of it and every number stays as it was written.
 */

import { rewriteObjects } from "../base/json-objects.ts";
import { deriveKey, drawBetween, type Key, textKey } from "../base/random.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";

/** Gives a body its form. What it adds is ASCII, so that the body grows by as many bytes as characters. */
export type BodyRewriter = (body: string) => string;

/** The members of an object in the order in which they are written. `documented`: how many of them the spec lists. */
type Order = (members: readonly string[], documented: number, draws: Draws) => readonly string[];

/** Draws of one body: each from 0 to `highest`. */
type Draws = (highest: number) => number;

/** What follows the documented members, by depth: the outermost object has one of each kind. */
const extraMembers = {
  none: undefined,
  present: {
    outermost: [
      '"x_note":"A field that the specification does not list"',
      '"x_reserved":null',
      '"x_context":{"source":"adsim"}',
    ],
    inner: ['"x_note":"A field that the specification does not list"', '"x_reserved":null'],
  },
} satisfies Record<
  Choice<"response.extra-fields">,
  { readonly outermost: readonly string[]; readonly inner: readonly string[] } | undefined
>;

const orders = {
  documented: undefined,
  shuffled,
} satisfies Record<Choice<"response.key-order">, Order | undefined>;

/** Undefined where bodies stay as they are. */
export function createSuccessRewriter(
  assumptions: Assumptions,
  seed: string,
): BodyRewriter | undefined {
  return formOf(
    extraMembers[assumptions["response.extra-fields"]],
    orders[assumptions["response.key-order"]],
    seed,
  );
}

/** For error bodies that are JSON. Undefined where they stay as they are. */
export function createErrorRewriter(
  assumptions: Assumptions,
  seed: string,
): BodyRewriter | undefined {
  return formOf(undefined, orders[assumptions["response.key-order"]], seed);
}

function formOf(
  extra: (typeof extraMembers)[Choice<"response.extra-fields">],
  order: Order | undefined,
  seed: string,
): BodyRewriter | undefined {
  if (extra === undefined && order === undefined) return undefined;
  const orderKey = deriveKey(seed, "key-order");
  return (body) => {
    const draws = drawsOf(textKey(orderKey, body));
    return rewriteObjects(body, (members, depth) => {
      const added = (depth === 0 ? extra?.outermost : extra?.inner) ?? [];
      const all = [...members, ...added];
      return order === undefined ? all : order(all, members.length, draws);
    });
  };
}

function drawsOf(key: Key): Draws {
  let drawn = 0;
  return (highest) => {
    drawn += 1;
    return drawBetween(key, drawn, 0, highest);
  };
}

/** Any order but the documented one: the documented members are never all in their order, whatever stands among them. */
function shuffled(members: readonly string[], documented: number, draws: Draws): readonly string[] {
  const places = members.map((_, place) => place);
  for (let last = places.length - 1; last > 0; last -= 1) swap(places, last, draws(last));
  // A single documented member has no order: then that of all counts.
  const decisive = documented > 1 ? documented : places.length;
  const kept = places.filter((place) => place < decisive);
  if (decisive > 1 && kept.every((place, index) => place === index)) {
    swap(places, places.indexOf(0), places.indexOf(1));
  }
  return places.map((place) => members[place] ?? "");
}

function swap(places: number[], one: number, other: number): void {
  const kept = places[one] ?? 0;
  places[one] = places[other] ?? 0;
  places[other] = kept;
}
