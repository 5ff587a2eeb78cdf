/** The edit distance of two texts, compared with its definition. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance } from "../../src/base/edit-distance.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

/** The definition: keep or replace the last characters, or remove one of them. */
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

test("a distance up to the limit is exact; a larger one is the limit plus one", () => {
  fc.assert(
    fc.property(word, word, fc.nat(4), (left, right, most) => {
      const distance = byDefinition(left, right);
      expect(editDistance(left, right, most)).toBe(Math.min(distance, most + 1));
    }),
    { numRuns: 200 },
  );
});
