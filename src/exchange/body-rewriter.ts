/**
 * Rewrites a finished JSON body: adds fields that the spec doesn't list, or changes the order of the keys (spec §2 shows
 * one). Works on the text, so that operations needn't know about it and numbers keep their spelling.
 */

import { rewriteObjects } from "../base/json-objects.ts";
import { deriveKey, drawsFrom, type NextDraw, textKey } from "../base/random.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";

/** Rewrites a body. It adds only ASCII, so the body grows by as many bytes as characters. */
export type BodyRewriter = (body: string) => string;

/** Orders the members of an object. The first `documented` of them are the spec's. */
type Order = (members: readonly string[], documented: number, draw: NextDraw) => readonly string[];

/** The members added after the documented ones. The outermost object gets one of each kind. */
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

/** Undefined if bodies don't change. */
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

/** For error bodies that are JSON. Undefined if they don't change. */
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
    const draw = drawsFrom(textKey(orderKey, body));
    return rewriteObjects(body, (members, depth) => {
      const added = (depth === 0 ? extra?.outermost : extra?.inner) ?? [];
      const all = [...members, ...added];
      return order === undefined ? all : order(all, members.length, draw);
    });
  };
}

/** Any order but the documented one: the documented members are never in their usual order relative to each other. */
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
