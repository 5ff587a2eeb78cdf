/** A covering array has every combination of choices, in few rows. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { InputError } from "../../src/base/input.ts";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { type Assumption, catalogue, choicesOf } from "../../src/spec/assumptions/catalogue.ts";
import { isThorough } from "../budget.ts";

const guide = readFileSync(new URL("../../docs/test-your-client.md", import.meta.url), "utf8");
const points = Object.entries<Assumption>(catalogue).map(
  ([key, point]) => [key, choicesOf(point)] as const,
);

/** Every combination of choices of so many different keys, as text. */
function* combinations(size: number, from = 0): Generator<string> {
  if (size === 0) yield "";
  else
    for (const [place, [key, choices]] of points.slice(from).entries())
      for (const rest of combinations(size - 1, from + place + 1))
        for (const choice of choices) yield `${key}=${choice} ${rest}`;
}

/** Those in a row. */
function* within(row: readonly string[], size: number): Generator<string> {
  if (size === 0) yield "";
  else
    for (const [place, choice] of row.entries())
      for (const rest of within(row.slice(place + 1), size - 1)) yield `${choice} ${rest}`;
}

test.each([
  [1, 7],
  [2, 28],
  // There are 79,000 of them.
  ...(isThorough ? [[3, 130] as const] : []),
] as const)("strength %i: every combination of choices is in one of %i rows", (strength, count) => {
  const array: readonly Readonly<Record<string, string>>[] = coveringArray({ strength });
  const missing = new Set(combinations(strength));
  for (const row of array)
    for (const one of within(
      points.map(([key]) => `${key}=${row[key]}`),
      strength,
    ))
      missing.delete(one);
  expect([...missing].slice(0, 9), "run build/covering-rows.ts").toEqual([]);
  expect(new Set(array.map((row) => JSON.stringify(row))).size).toBe(count);
  expect(array).toHaveLength(count);
  expect(array.every(Object.isFrozen)).toBe(true);
  if (strength > 1) expect(guide).toContain(`${count} rows`);
});

test("another strength is refused", () => {
  for (const strength of [0, 4])
    expect(() => coveringArray({ strength: strength as 3 })).toThrow(InputError);
});
