/** Resolving assumptions: defaults fill in what isn't chosen, and an error suggests the nearest valid name. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError } from "../../../src/index.ts";
import { catalogue, type OpenPoint } from "../../../src/spec/assumptions/catalogue.ts";
import {
  brokenConstraint,
  type Constraint,
  constraints,
} from "../../../src/spec/assumptions/constraints.ts";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";

test("a key that isn't chosen gets its default", () => {
  const resolved: Readonly<Record<string, string>> = resolveAssumptions({ "date.timezone": "ist" });
  for (const [key, point] of Object.entries(catalogue)) {
    expect(resolved[key]).toBe(key === "date.timezone" ? "ist" : point.default);
  }
});

test("an undefined choice counts as not chosen", () => {
  expect(resolveAssumptions({ "dedup.repeat": undefined })["dedup.repeat"]).toBe(
    "original-uncredited",
  );
});

describe("the error", () => {
  test.each([
    ["dedup.repeats", "dedup.repeat"],
    ["date.timezome", "date.timezone"],
    ["dedup_repeat", "dedup.repeat"],
    ["clickrepeat", "click.repeat"],
    ["limit.algorythm", "limit.algorithm"],
    ["error.body", "errors.body"],
  ])("for the unknown key %s suggests %s", (key, nearest) => {
    expect(() => resolveAssumptions({ [key]: "x" })).toThrow(`Did you mean "${nearest}"?`);
    expect(() => resolveAssumptions({ [key]: "x" })).toThrow(`assumptions.${key}`);
  });

  test.each([
    ["foo", "See: npx adsim assumptions."],
    ["dedup.foo", "Known keys: dedup.key, dedup.window and dedup.repeat."],
    ["seed", "See: npx adsim assumptions."],
  ])("for the key %s, which resembles no other, says where to look: %s", (key, hint) => {
    expect(() => resolveAssumptions({ [key]: "x" })).toThrow(`is not an assumption. ${hint}`);
  });

  test.each(["__proto__", "constructor", ""])("for the key %j says that it is unknown", (key) => {
    expect(() => resolveAssumptions(JSON.parse(`{${JSON.stringify(key)}:"x"}`))).toThrow(
      /not an assumption/,
    );
  });

  test.each(["IST", "", "toString", 1, null, ["ist"]])(
    "for the choice %j lists the valid ones",
    (choice) => {
      expect(() => resolveAssumptions({ "date.timezone": choice })).toThrow(/utc, ist/);
    },
  );
});

describe("the error for a wrong choice", () => {
  test.each([
    ["date.timezone", "IST", "ist"],
    ["dedup.repeat", "conflicts", "conflict"],
    ["dedup.repeat", "Original Uncredited", "original-uncredited"],
    ["limit.exceeded", "529", "429"],
    ["limit.exceeded", 403, "403"],
    ["auth.failure", "401 bare", "401-bare"],
    ["http.content-type", "json charset", "json-charset"],
    ["payout.order", "oldest", "oldest-first"],
  ])("of %s, %j, suggests %s", (key, choice, nearest) => {
    const refused = (): unknown => resolveAssumptions({ [key]: choice });
    expect(refused).toThrow(InputError);
    expect(refused).toThrow(`Did you mean "${nearest}"? Choose one of: `);
  });

  test.each([[""], [null], [["ist"]], [{}], [true], ["yes"], ["gmt"], ["u"]])(
    "%j, which resembles no valid one, only lists them",
    (choice) => {
      const refused = (): unknown => resolveAssumptions({ "date.timezone": choice });
      expect(refused).toThrow(
        /^assumptions\.date\.timezone has no (?:such choice|choice "\w+")\. Choose one of: utc, ist\.$/,
      );
    },
  );

  test("doesn't repeat an API key that was given as the choice", () => {
    const { apiKey } = createSimulator().publishers.at(0);
    for (const choice of [apiKey, apiKey.toUpperCase(), apiKey.slice(4), `ist ${apiKey}`]) {
      const refused = (): unknown => resolveAssumptions({ "date.timezone": choice });
      expect(refused).toThrow(
        "assumptions.date.timezone has no such choice. Choose one of: utc, ist.",
      );
    }
  });
});

describe("choices that make no sense together", () => {
  test("are reported with the reason and what to choose", () => {
    const chosen = { "payout.txn-id": "null", "payout.statuses": "documented" };
    expect(brokenConstraint(chosen)).toEqual({
      key: "payout.txn-id",
      problem:
        'can\'t be "null" while payout.statuses is "documented": then only paid payouts are listed, and those ' +
        "have a txn_id. Choose payout.statuses=extended as well",
    });
    expect(brokenConstraint({ ...chosen, "payout.txn-id": "empty" })).toBeUndefined();
    expect(brokenConstraint({ ...chosen, "payout.statuses": "extended" })).toBeUndefined();
  });

  test.each<Constraint>(constraints)(
    "exist and aren't defaults: the constraint on $key",
    ({ key, choices, needs }) => {
      // A key with a single choice has only its default, which no constraint can forbid.
      const namesOf = (of: string): string[] => Object.keys(points[of]?.choices ?? {});
      if (namesOf(key).length > 1)
        expect(namesOf(key)).toEqual(expect.arrayContaining([...choices]));
      if (namesOf(needs.key).length > 1) expect(namesOf(needs.key)).toContain(needs.choice);
      expect(choices).not.toContain(points[key]?.default);
      expect(needs.choice).not.toBe(points[needs.key]?.default);
    },
  );

  test("are refused by resolveAssumptions in any order", () => {
    for (const { key, choices, needs } of constraints as readonly Constraint[]) {
      for (const choice of choices) {
        const other = points[needs.key]?.default;
        for (const chosen of [
          { [key]: choice },
          { [key]: choice, [needs.key]: other },
          { [needs.key]: other, [key]: choice },
        ]) {
          expect(() => resolveAssumptions(chosen)).toThrow(InputError);
          expect(() => resolveAssumptions(chosen)).toThrow(`assumptions.${key}`);
        }
      }
    }
  });
});

const points: Readonly<Record<string, OpenPoint>> = catalogue;
