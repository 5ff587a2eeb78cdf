/** docs/scenario.schema.json and parsing. Whether the types still say the same is looked at in `.ci/run`: it takes 5 s. */

import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shippedScenarios } from "../../../src/adapters/shipped-scenarios.ts";
import { scenarioJsonSchema } from "../../../src/play/scenario/json-schema.ts";
import { runsOf } from "../../budget.ts";
import { arrivals, everything, of, refusalOf } from "./everything.ts";

const validates = new Ajv({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
}).compile(scenarioJsonSchema);

const sound: readonly unknown[] = [
  everything,
  ...arrivals.map((one) => of({ traffic: { for: "10m", arrivals: one } })),
];
const parses = (input: unknown): boolean => refusalOf(input) === undefined;

test("the schema accepts every shipped scenario and the other sound ones", () => {
  expect(shippedScenarios.length).toBeGreaterThan(40);
  for (const scenario of [...shippedScenarios, ...sound]) {
    expect(parses(scenario)).toBe(true);
    validates(scenario);
    expect(validates.errors ?? []).toEqual([]);
  }
});

/** All places in a value, by path. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const within = Object.entries(value).flatMap(([name, one]) => placesIn(one, [...path, name]));
  return [path, ...within];
}

/** A copy with another value at the path, or with none if that is undefined. */
function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return to;
  const entries = Object.entries(value as object).flatMap(([key, one]) => {
    const next = key === name ? changed(one, rest, to) : one;
    return next === undefined ? [] : [[key, next] as const];
  });
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

const places = sound.flatMap((scenario) => placesIn(scenario).map((path) => ({ scenario, path })));
const parts = places.map(({ scenario, path }) =>
  path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], scenario),
);
const anything = fc.oneof(
  fc.constantFrom(...parts),
  fc.constantFrom<unknown>(undefined, null, true, 0, -1, 0.5, 1e300, "", "1s", "first.ok", [], {}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom("ref", "atLeast", "type", "of", "header", "is", "as"),
    fc.jsonValue(),
  ),
);
const mutants = fc.record({ place: fc.constantFrom(...places), to: anything });

test("whatever the schema refuses, parseScenario refuses; and it never fails in another way", () => {
  const runs = runsOf(1000);
  const seen = { sound: 0, refusedByBoth: 0, refusedByParsing: 0 };
  fc.assert(
    fc.property(fc.array(mutants, { minLength: 1, maxLength: 2 }), (mutations) => {
      const [
        {
          place: { scenario },
        } = { place: { scenario: everything } },
      ] = mutations;
      const mutant = mutations.reduce((value, { place, to }) => {
        const isOfThis = place.scenario === scenario;
        return isOfThis ? changed(value, place.path, to) : value;
      }, scenario as unknown);
      const isSound = parses(mutant);
      const isValid = validates(mutant);
      expect(isSound && !isValid, JSON.stringify(validates.errors)).toBe(false);
      if (isSound) seen.sound += 1;
      else if (isValid) seen.refusedByParsing += 1;
      else seen.refusedByBoth += 1;
    }),
    { numRuns: runs, seed: 1 },
  );
  // All three came, and the schema finds most of what is wrong.
  expect(seen.sound).toBeGreaterThan(runs / 20);
  expect(seen.refusedByParsing).toBeGreaterThan(runs / 40);
  expect(seen.refusedByBoth).toBeGreaterThan(0.3 * runs);
});
