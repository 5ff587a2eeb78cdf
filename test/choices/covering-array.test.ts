/** A covering array has every combination of choices, in few rows. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { InputError } from "../../src/base/input.ts";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { pairRows, tripleRows } from "../../src/choices/covering-rows.ts";
import { type Assumption, catalogue, choicesOf } from "../../src/spec/assumptions/catalogue.ts";
import { missingTuples } from "./missing-tuples.ts";

const matrixPage = readFileSync(new URL("../../docs/matrix.md", import.meta.url), "utf8");
const points = Object.entries<Assumption>(catalogue).map(([key, point]) => ({
  key,
  choices: choicesOf(point),
}));
const levels = points.map(({ choices }) => choices.length);

test.each([
  [1, 7],
  [2, 28],
  [3, 130],
] as const)("strength %i: every combination of choices is in one of %i rows", (strength, count) => {
  const array: readonly Readonly<Record<string, string>>[] = coveringArray({ strength });
  const rows = array.map((row) =>
    points.map(({ key, choices }) => choices.indexOf(row[key] ?? "")),
  );
  expect(rows.flat()).not.toContain(-1);
  expect(missingTuples(rows, levels, strength), "run build/covering-rows.ts").toEqual([]);
  expect(new Set(rows.map(String)).size).toBe(count);
  expect(array).toHaveLength(count);
  expect(array.every(Object.isFrozen)).toBe(true);
  if (strength > 1) expect(matrixPage).toContain(`${count} rows`);
});

test("the table has a digit for each key, and no choice that a key doesn't have", () => {
  for (const row of [...pairRows, ...tripleRows]) {
    expect(row).toHaveLength(levels.length);
    expect(Array.from(row, Number).filter((one, key) => one >= (levels[key] ?? 0))).toEqual([]);
  }
});

test("another strength is refused", () => {
  expect(() => coveringArray({ strength: 4 as 3 })).toThrow(InputError);
});
