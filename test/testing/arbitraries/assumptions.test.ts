/** Random assumptions: valid, mostly near the defaults, and shrunk to the keys that matter. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Assumptions, createSimulator, InputError } from "../../../src/index.ts";
import {
  type Assumption,
  type AssumptionKey,
  catalogue,
} from "../../../src/spec/assumptions/catalogue.ts";
import { defaultAssumptions, resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import { arbitraryAssumptions } from "../../../src/testing.ts";

const points: Readonly<Record<string, Assumption>> = catalogue;
// The keys of the catalogue are its keys.
const keys = Object.keys(catalogue) as AssumptionKey[];
const open = keys.filter((key) => othersOf(key).length > 0);

function othersOf(key: AssumptionKey): string[] {
  return Object.keys(points[key]?.choices ?? {}).filter(
    (choice) => choice !== points[key]?.default,
  );
}

function overrides(assumptions: Assumptions): AssumptionKey[] {
  return keys.filter((key) => assumptions[key] !== defaultAssumptions[key]);
}

/** The keys that a failure of `fails` is shrunk to, each with its choice. */
function shrunk(
  fails: (assumptions: Assumptions) => boolean,
  parameters: fc.Parameters<[Assumptions]>,
): Record<string, string> {
  const property = fc.property(arbitraryAssumptions(), (assumptions) => !fails(assumptions));
  const { counterexample } = fc.check(property, { numRuns: 5000, ...parameters });
  if (counterexample === null) throw new Error("Nothing failed.");
  const [found] = counterexample;
  return Object.fromEntries(overrides(found).map((key) => [key, found[key]]));
}

test("every value is a full assignment that a simulator accepts, and can't be changed", () => {
  fc.assert(
    fc.property(arbitraryAssumptions(), (assumptions) => {
      expect(Object.keys(assumptions)).toEqual(keys);
      expect(resolveAssumptions(assumptions)).toEqual(assumptions);
      expect(Object.isFrozen(assumptions)).toBe(true);
    }),
    { seed: 1, numRuns: 500 },
  );
  const [one] = fc.sample(arbitraryAssumptions(), { seed: 1, numRuns: 1 });
  expect(createSimulator({ assumptions: one }).assumptions).toEqual(one);
});

test("every choice occurs; most values have a handful of keys off their defaults, some many", () => {
  const values = fc.sample(arbitraryAssumptions(), { seed: 1, numRuns: 1000 });
  for (const key of open) {
    const seen = new Set<string>(values.map((assumptions) => assumptions[key]));
    expect([...seen].sort(), key).toEqual(Object.keys(points[key]?.choices ?? {}).sort());
  }
  const counts = values.map((assumptions) => overrides(assumptions).length);
  const few = counts.filter((count) => count <= 8).length;
  const many = counts.filter((count) => count > open.length * 0.4).length;
  expect(few).toBeGreaterThan(700);
  expect(few).toBeLessThan(900);
  expect(many).toBeGreaterThan(100);
  expect(Math.max(...counts)).toBeGreaterThan(open.length * 0.6);
});

describe("a failure shrinks", () => {
  test("to the defaults if any value fails", () => {
    for (let seed = 0; seed < 20; seed += 1) expect(shrunk(() => true, { seed })).toEqual({});
  });

  test.each(open)("to %s alone if that key causes it, whichever choice it has", (key) => {
    for (const choice of othersOf(key)) {
      const fails = (assumptions: Assumptions): boolean => assumptions[key] === choice;
      expect(shrunk(fails, { seed: 7 })).toEqual({ [key]: choice });
    }
  });

  test("to two keys if it takes both", () => {
    for (const [at, left] of open.entries()) {
      const right = open[(at * 7 + 3) % open.length];
      if (right === undefined || right === left) continue;
      const found = shrunk(
        (assumptions) =>
          overrides(assumptions).filter((key) => key === left || key === right).length > 1,
        { seed: at },
      );
      expect(Object.keys(found).sort()).toEqual([left, right].sort());
    }
  });

  test("from an example too", () => {
    const example = resolveAssumptions({
      "date.timezone": "ist",
      "payout.order": "oldest-first",
      "errors.invalid": "422",
    });
    const found = shrunk((assumptions) => assumptions["payout.order"] === "oldest-first", {
      seed: 1,
      numRuns: 1,
      examples: [[example]],
    });
    expect(found).toEqual({ "payout.order": "oldest-first" });
  });
});

describe("options", () => {
  test("only the keys named vary", () => {
    const arbitrary = arbitraryAssumptions({ keys: ["date.timezone", "dedup.repeat"] });
    const values = fc.sample(arbitrary, { seed: 1, numRuns: 200 });
    expect([...new Set(values.flatMap(overrides))].sort()).toEqual([
      "date.timezone",
      "dedup.repeat",
    ]);
    const none = fc.sample(arbitraryAssumptions({ keys: [] }), { seed: 1, numRuns: 5 });
    expect(none).toEqual(Array(5).fill(defaultAssumptions));
  });

  test("fixed choices stay, even in a shrunk value", () => {
    const arbitrary = arbitraryAssumptions({
      keys: ["payout.order", "date.timezone"],
      fixed: { "date.timezone": "ist", "dedup.repeat": "replay" },
    });
    const property = fc.property(
      arbitrary,
      ({ "payout.order": order }) => order !== "oldest-first",
    );
    const [found] = fc.check(property, { seed: 1 }).counterexample ?? [defaultAssumptions];
    expect(overrides(found).sort()).toEqual(["date.timezone", "dedup.repeat", "payout.order"]);
    for (const { "date.timezone": zone } of fc.sample(arbitrary, { seed: 1, numRuns: 50 })) {
      expect(zone).toBe("ist");
    }
  });

  test("a key or choice that doesn't exist is refused by name", () => {
    const wrongKey = { keys: ["date.timezome"] } as unknown as { keys: AssumptionKey[] };
    expect(() => arbitraryAssumptions(wrongKey)).toThrow(InputError);
    expect(() => arbitraryAssumptions(wrongKey)).toThrow('Did you mean "date.timezone"?');
    const wrongChoice = { "date.timezone": "IST" } as unknown as { "date.timezone": "ist" };
    expect(() => arbitraryAssumptions({ fixed: wrongChoice })).toThrow('Did you mean "ist"?');
  });
});
