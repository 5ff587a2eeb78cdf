/** Chosen readings: the defaults fill the rest, and a wrong one is refused with the nearest right one. */

import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../src/assumptions/resolve.ts";

test("what isn't chosen is the default of its key", () => {
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

describe("a wrong one", () => {
  test.each([
    ["dedup.repeats", "dedup.repeat"],
    ["date.timezome", "date.timezone"],
    ["dedup_repeat", "dedup.repeat"],
    ["clickrepeat", "click.repeat"],
    ["limit.algorythm", "limit.algorithm"],
    ["error.body", "errors.body"],
  ])("key %s: did you mean %s?", (key, nearest) => {
    expect(() => resolveAssumptions({ [key]: "x" })).toThrow(`Did you mean "${nearest}"?`);
    expect(() => resolveAssumptions({ [key]: "x" })).toThrow(`assumptions.${key}`);
  });

  test.each(["__proto__", "constructor", ""])("key %j is none", (key) => {
    expect(() => resolveAssumptions(JSON.parse(`{${JSON.stringify(key)}:"x"}`))).toThrow(
      /not an assumption/,
    );
  });

  test.each([
    ["dedup.repeat", "conflct", "conflict"],
    ["date.timezone", "IST", "ist"],
    ["limit.algorithm", "tokenbucket", "token-bucket"],
    ["auth.failure", "401 bare", "401-bare"],
    ["http.head", 405, "405"],
  ])("choice of %s, %s: did you mean %s?", (key, choice, nearest) => {
    expect(() => resolveAssumptions({ [key]: choice })).toThrow(`Did you mean "${nearest}"?`);
  });

  test("a choice that is like none: no guess", () => {
    expect(() => resolveAssumptions({ "date.timezone": "xyz" })).toThrow(
      'assumptions.date.timezone has no choice "xyz". Choose one of: utc, ist',
    );
  });

  test.each(["IST", "", "toString", 1, null, ["ist"]])(
    "choice %j: the choices are listed",
    (choice) => {
      expect(() => resolveAssumptions({ "date.timezone": choice })).toThrow(/utc, ist/);
    },
  );
});

describe("a choice that needs another", () => {
  test.each(["null", "absent"])("payout.txn-id=%s is refused alone, with the reason", (choice) => {
    const resolve = (): unknown => resolveAssumptions({ "payout.txn-id": choice });
    expect(resolve).toThrow(/^assumptions\.payout\.txn-id can be/);
    expect(resolve).toThrow(/only with payout\.statuses "extended": .* paid/);
    expect(
      resolveAssumptions({ "payout.txn-id": choice, "payout.statuses": "extended" }),
    ).toMatchObject({ "payout.txn-id": choice });
  });

  test("the default needs nothing", () => {
    expect(resolveAssumptions({ "payout.statuses": "extended" })["payout.txn-id"]).toBe("empty");
  });
});
