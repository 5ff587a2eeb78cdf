/** Resolving assumptions: defaults fill in what isn't chosen, and an error suggests the nearest valid name. */

import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import { catalogue } from "../../../src/spec/assumptions/catalogue.ts";
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
    ["dedup.foo", "See: npx adsim assumptions."],
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
    ["payout.order", "oldest", "oldest-first"],
    ["dedup.repeat", "Original Uncredited", "original-uncredited"],
    ["auth.key-scope", "publisher hidden", "publisher-hidden"],
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
        /^assumptions\.date\.timezone (?:must be a string, not .+|has no choice "\w*")\. Choose one of: utc, ist\.$/,
      );
    },
  );

  test("that is another number has no nearest one", () => {
    expect(() => resolveAssumptions({ "limit.exceeded": "500" })).toThrow(
      'assumptions.limit.exceeded has no choice "500". Choose one of: 403, 429, 503.',
    );
  });

  test("that is a number must be a string", () => {
    expect(() => resolveAssumptions({ "limit.exceeded": 429 })).toThrow(
      "assumptions.limit.exceeded must be a string, not 429.",
    );
  });
});
