/** The distance of two texts, held against its definition. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, mayBeWithin } from "../../src/base/edit-distance.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

/** By the definition: the last characters are kept, replaced, or one of them goes. */
function byDefinition(left: string, right: string): number {
  if (left === "" || right === "") return left.length + right.length;
  const [one, other] = [left.slice(0, -1), right.slice(0, -1)];
  if (left.at(-1) === right.at(-1)) return byDefinition(one, other);
  return (
    1 + Math.min(byDefinition(one, right), byDefinition(left, other), byDefinition(one, other))
  );
}

test("the distance is the least number of insertions, removals and replacements", () => {
  fc.assert(
    fc.property(word, word, (left, right) => {
      expect(editDistance(left, right)).toBe(byDefinition(left, right));
    }),
    { numRuns: 200 },
  );
});

test("long texts are compared by their beginnings", () => {
  expect(editDistance("a".repeat(100_000), "a".repeat(99_000))).toBe(0);
});

test("what is ruled out beforehand is far apart: no slip, and no three wrong characters wherever", () => {
  const id = "imp_baxgme5b6zd7e";
  const places = Array.from(id, (_, at) => at);
  for (const at of places) {
    expect(mayBeWithin(1, id.slice(0, at) + id.slice(at + 1), id)).toBe(true);
    expect(mayBeWithin(1, `${id.slice(0, at)}?${id.slice(at)}`, id)).toBe(true);
    for (const to of places) {
      const wrong = Array.from(id, (one, here) => ([at, to, 9].includes(here) ? "?" : one)).join(
        "",
      );
      expect(mayBeWithin(3, wrong, id)).toBe(true);
    }
  }
  expect(mayBeWithin(3, "imp_0000000000000", id)).toBe(false);
  expect(mayBeWithin(3, id.slice(4), id)).toBe(false);
});
