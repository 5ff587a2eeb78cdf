/** Random assumptions: valid, mostly near the defaults, and shrunk to the keys that matter. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Assumptions, InputError } from "../../../src/index.ts";
import {
  type AssumptionKey,
  catalogue,
  choicesOf,
} from "../../../src/spec/assumptions/catalogue.ts";
import { defaultAssumptions, resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import { arbitraryAssumptions } from "../../../src/testing.ts";

// The keys of the catalogue are its keys.
const keys = Object.keys(catalogue) as AssumptionKey[];

function overrides(assumptions: Assumptions): AssumptionKey[] {
  return keys.filter((key) => assumptions[key] !== defaultAssumptions[key]);
}

/** What a failure of `fails` is shrunk to, apart from the defaults. */
function shrunk(
  fails: (assumptions: Assumptions) => boolean,
  arbitrary = arbitraryAssumptions(),
): Record<string, string> {
  const property = fc.property(arbitrary, (assumptions) => !fails(assumptions));
  const [found] = fc.check(property, { seed: 7, numRuns: 5000 }).counterexample ?? [];
  if (found === undefined) throw new Error("Nothing failed.");
  return Object.fromEntries(overrides(found).map((key) => [key, found[key]]));
}

test("values are full assignments with every choice, mostly with a handful of keys off their defaults", () => {
  const values = fc.sample(arbitraryAssumptions(), { seed: 1, numRuns: 1000 });
  for (const assumptions of values) expect(resolveAssumptions(assumptions)).toEqual(assumptions);
  expect(Object.isFrozen(values[0])).toBe(true);
  for (const key of keys) {
    const seen = new Set<string>(values.map((assumptions) => assumptions[key]));
    expect([...seen].sort(), key).toEqual([...choicesOf(catalogue[key])].sort());
  }
  const few = values.filter((assumptions) => overrides(assumptions).length <= 8).length;
  expect(few).toBeGreaterThan(900);
});

test.each(keys)("a failure shrinks to %s alone, or with another, if they cause it", (key) => {
  const [, ...others] = choicesOf(catalogue[key]);
  for (const choice of others) {
    expect(shrunk((assumptions) => assumptions[key] === choice)).toEqual({ [key]: choice });
  }
  const both = ["date.timezone", key];
  const found = shrunk((one) => both.every((name) => overrides(one).includes(name as typeof key)));
  expect(Object.keys(found).sort()).toEqual([...new Set(both)].sort());
});

test("only the keys named vary, and fixed choices stay, even in a shrunk value", () => {
  const fixed = { "date.timezone": "ist", "dedup.repeat": "replay" } as const;
  const arbitrary = arbitraryAssumptions({ keys: ["payout.order", "date.timezone"], fixed });
  const seen = fc.sample(arbitrary, { seed: 1, numRuns: 200 }).flatMap(overrides);
  expect([...new Set(seen)].sort()).toEqual(["date.timezone", "dedup.repeat", "payout.order"]);
  expect(shrunk(() => true, arbitrary)).toEqual(fixed);
  const none = fc.sample(arbitraryAssumptions({ keys: [] }), { seed: 1, numRuns: 5 });
  expect(none).toEqual(Array(5).fill(defaultAssumptions));
});

test("an option, key or choice that doesn't exist is refused by name", () => {
  const wrongOption = { key: ["date.timezone"] } as never;
  expect(() => arbitraryAssumptions(wrongOption)).toThrow('Did you mean "keys"?');
  const wrongKey = { keys: ["date.timezome"] } as never;
  expect(() => arbitraryAssumptions(wrongKey)).toThrow(InputError);
  expect(() => arbitraryAssumptions(wrongKey)).toThrow('Did you mean "date.timezone"?');
  const wrongChoice = { fixed: { "date.timezone": "IST" } } as never;
  expect(() => arbitraryAssumptions(wrongChoice)).toThrow('Did you mean "ist"?');
});
