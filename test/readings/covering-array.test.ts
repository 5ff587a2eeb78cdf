/** A covering array has every allowed combination and no forbidden one, in few rows, and the same rows for a seed. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CoveringProblem, coveringRows } from "../../src/readings/covering/covering-rows.ts";
import { coveringArray } from "../../src/readings/covering-array.ts";
import {
  type Assumptions,
  catalogue,
  type OpenPoint,
} from "../../src/spec/assumptions/catalogue.ts";
import { checkProperty } from "../properties/check-property.ts";
import { choose, everyRow, missingTuples } from "./missing-tuples.ts";

const file = "test/readings/covering-array.test.ts";
const matrixPage = readFileSync(new URL("../../docs/matrix.md", import.meta.url), "utf8");

/** How many choices each key has. */
const full: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(catalogue).map(([key, { choices }]) => [key, Object.keys(choices).length]),
);

const fullShape = { levels: Object.values(full) };

function texts(rows: readonly (readonly number[])[]): string[] {
  return rows.map((row) => row.join());
}

describe("small shapes", () => {
  test.each([
    { levels: [3], strength: 1, rows: 3 },
    { levels: [2, 5, 3], strength: 1, rows: 5 },
    { levels: [2, 2], strength: 2, rows: 4 },
    { levels: [2, 2, 2], strength: 2, rows: 4 },
    { levels: [2, 2, 2, 2, 2], strength: 2, rows: 6 },
    { levels: [3, 3, 3, 3], strength: 2, rows: 9 },
    { levels: [2, 2, 2, 2], strength: 3, rows: 8 },
    { levels: [3, 3, 3, 3], strength: 3, rows: 27 },
    { levels: [3, 2], strength: 3, rows: 6 },
    { levels: [2, 3, 4, 2, 3, 2], strength: 3, rows: 36 },
  ])(
    "$levels at strength $strength: everything is covered in $rows rows, the fewest possible",
    (shape) => {
      const rows = coveringRows({ ...shape, seed: "small" });
      expect(missingTuples(rows, { ...shape, isPossible: () => true })).toEqual([]);
      expect(rows).toHaveLength(shape.rows);
    },
  );

  test("keys with one choice have it in every row and add no rows", () => {
    expect(coveringRows({ levels: [1, 1, 1], strength: 2, seed: "a" })).toEqual([[0, 0, 0]]);
    const rows = coveringRows({ levels: [1, 2, 1, 3], strength: 3, seed: "a" });
    expect(texts(rows).sort()).toEqual([
      "0,0,0,0",
      "0,0,0,1",
      "0,0,0,2",
      "0,1,0,0",
      "0,1,0,1",
      "0,1,0,2",
    ]);
  });

  test("there are no rows if every combination is forbidden", () => {
    const forbidden = [0, 1].map((level) => [{ column: 1, level }]);
    expect(coveringRows({ levels: [3, 2, 2], forbidden, strength: 2, seed: "a" })).toEqual([]);
  });
});

const randomShape: fc.Arbitrary<Required<Omit<CoveringProblem, "seed">>> = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 })
  .chain((levels) =>
    fc.record({
      levels: fc.constant(levels),
      strength: fc.integer({ min: 1, max: 3 }),
      forbidden: fc.array(
        fc
          .subarray([...levels.keys()], { minLength: 1, maxLength: Math.min(3, levels.length) })
          .chain((columns) =>
            fc.tuple(
              ...columns.map((column) =>
                fc
                  .integer({ min: 0, max: (levels[column] ?? 1) - 1 })
                  .map((level) => ({ column, level })),
              ),
            ),
          ),
        { maxLength: 6 },
      ),
    }),
  );

const lawful =
  "any shape: every possible tuple is covered, no row is forbidden, and no row is superfluous";
test(lawful, { timeout: 60_000 }, () => {
  checkProperty(
    { test: lawful, file, runs: 150 },
    fc.property(randomShape, fc.string(), (shape, seed) => {
      const allowed = everyRow(shape.levels).filter(
        (row) => !shape.forbidden.some((cells) => cells.every((at) => row[at.column] === at.level)),
      );
      const rows = coveringRows({ ...shape, seed });
      const covering = (some: readonly (readonly number[])[]): string[] =>
        missingTuples(some, {
          ...shape,
          isPossible: (columns, levels) =>
            allowed.some((row) => columns.every((column, at) => row[column] === levels[at])),
        });
      expect(covering(rows)).toEqual([]);
      expect(texts(allowed)).toEqual(expect.arrayContaining(texts(rows)));
      for (const spare of rows) {
        expect(covering(rows.filter((row) => row !== spare))).not.toEqual([]);
      }
    }),
  );
});

describe("all keys with all their choices", () => {
  test.each([
    { strength: 1, rows: 7 },
    { strength: 2, rows: 7 * 4 },
    { strength: 3, rows: 130 },
  ])(
    "strength $strength: covered in $rows rows",
    ({ strength, rows: fewest }) => {
      const rows = coveringRows({ ...fullShape, strength, seed: "adsim" });
      expect(missingTuples(rows, { ...fullShape, strength, isPossible: () => true })).toEqual([]);
      expect(new Set(texts(rows)).size).toBe(rows.length);
      expect(rows).toHaveLength(fewest);
    },
    120_000,
  );

  test.each(["a", "b", "c", "", "🌱"])(
    "seed %j: the array for all pairs has at most 42 rows",
    (seed) => {
      const rows = coveringRows({ ...fullShape, strength: 2, seed });
      expect(rows.length).toBeLessThanOrEqual(42);
    },
  );

  test("the rows for a seed have the frozen digest: it may change with the method, not unnoticed", () => {
    // How many choices 46 keys had once, written out: a new key doesn't change the method.
    const levels = Array.from("4222322272232253332223343442322232222322225222", Number);
    const forbidden = [1, 2].map((level) => [
      { column: 31, level: 0 },
      { column: 32, level },
    ]);
    const rows = coveringRows({ levels, forbidden, strength: 2, seed: "adsim" });
    const digest = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
    expect(digest.slice(0, 32)).toBe("2f925048d5fc184a1b561e5449c39028");
  });
});

describe("the catalogue", () => {
  const keys = Object.entries<OpenPoint>(catalogue).map(([key, point]) => ({
    key,
    choices: Object.keys(point.choices),
  }));
  const levels = keys.map(({ choices }) => choices.length);
  const numbered = (array: readonly Assumptions[]): number[][] =>
    array.map((row: Readonly<Record<string, string>>) =>
      keys.map(({ key, choices }) => choices.indexOf(row[key] ?? "")),
    );
  test.each([1, 2, 3] as const)(
    "strength %i: every combination of choices is in a row that assigns all keys",
    (strength) => {
      const array = coveringArray({ strength });
      const rows = numbered(array);
      expect(rows.flat()).not.toContain(-1);
      expect(missingTuples(rows, { levels, strength, isPossible: () => true })).toEqual([]);
      expect(new Set(texts(rows)).size).toBe(rows.length);
      expect(array.every(Object.isFrozen)).toBe(true);
      const widest = levels.toSorted((a, b) => b - a).slice(0, strength);
      const fewest = widest.reduce((product, count) => product * count, 1);
      expect(rows.length).toBeLessThanOrEqual(Math.floor(fewest * 1.2));
      if (strength > 1) expect(matrixPage).toContain(`${rows.length} rows`);
    },
    120_000,
  );

  test("a seed always gives the same array, and another seed a different one", () => {
    const array = coveringArray({ strength: 2, seed: "a" });
    expect(coveringArray({ strength: 2, seed: "a" })).toEqual(array);
    expect(coveringArray({ strength: 2, seed: "b" })).not.toEqual(array);
    expect(coveringArray({ strength: 2 })).toEqual(coveringArray({ strength: 2, seed: "adsim" }));
  });
});

test("missingTuples reports what is missing", () => {
  const levels = [2, 3, 2];
  const rows = everyRow(levels);
  const shape = { levels, strength: 3, isPossible: () => true };
  expect(missingTuples(rows, shape)).toEqual([]);
  expect(missingTuples(rows.slice(1), shape)).toEqual(["0,1,2: 0,0,0"]);
  expect(
    missingTuples([], { ...shape, isPossible: (_, tuple) => tuple.join() === "1,2,0" }),
  ).toEqual(["0,1,2: 1,2,0"]);
  expect(choose(4, 2)).toEqual([
    [0, 1],
    [0, 2],
    [1, 2],
    [0, 3],
    [1, 3],
    [2, 3],
  ]);
});
