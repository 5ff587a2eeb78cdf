/** Expectations that no play could meet, or that would check nothing, are refused before anything is played. */

import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { InputError } from "../../../src/base/input.ts";
import { scenarioJsonSchema } from "../../../src/play/scenario/json-schema.ts";
import { of, refusalOf } from "./everything.ts";

const validates = new Ajv({ allowUnionTypes: true }).compile(scenarioJsonSchema);

const refused = (input: unknown): InputError => refusalOf(input) ?? new InputError("", "was taken");
const status = (expected: unknown): object => of({ stats: {}, expect: { status: expected } });
const body = (expected: unknown): object => of({ stats: {}, expect: { body: expected } });
const atTheEnd = (expectation: object): object => ({
  ...of({ stats: {}, as: "first" }),
  expectations: [expectation],
});

test.each<[expected: unknown, within?: string]>([
  ...["200", "2xx", true, null, [200], {}].map((one) => [one] as [unknown]),
  [{ numbered: "20" }, ".numbered"],
  [{ startsWith: "2" }, ".startsWith"],
  [{ oneOf: [200, "404"] }, ".oneOf.1"],
  [{ not: { oneOf: ["200"] } }, ".not.oneOf.0"],
  [{ equals: "200" }, ".equals"],
  [{ oneOf: [200, 2000] }, ".oneOf.1"],
])("a status is never %j", (expected, within = "") => {
  const { field, message } = refused(status(expected));
  expect(field).toBe(`steps.0.expect.status${within}`);
  expect(message).toMatch(/from 100 to 599|not known here|one of ref, atLeast/);
  expect(validates(status(expected))).toBe(false);
});

test.each([
  [200],
  [{ atMost: { sum: [200, 99] } }],
  [{ between: [200, 299] }],
  [{ oneOf: [200, { atLeast: 500 }] }],
  [{ not: { oneOf: [429, 503] } }],
  [{ equals: 200 }],
])("a status may be %j", (expected) => {
  expect(refusalOf(status(expected))).toBeUndefined();
  expect(validates(status(expected))).toBe(true);
});

test.each([[{ startswith: "a" }], [{ atLeast: 1, atMost: 2 }], [{ Not: 1, clicks: 1 }]])(
  "%j is refused as a misspelt rule, not matched as members",
  (matcher) => {
    for (const expected of [matcher, { clicks: matcher }, { surfaces: [{ deep: matcher }] }]) {
      const { field, message } = refused(body(expected));
      expect(field).toMatch(/^steps\.0\.expect\.body/);
      expect(message).toContain("a rule has one key");
      expect(refusalOf(body({ a: { equals: expected } }))).toBeUndefined();
    }
  },
);

test.each<[expectation: object, place: string, says: RegExp]>([
  [{ stats: {}, is: { impresions: 2 } }, "is.impresions", /Did you mean "impressions"/],
  [{ stats: {}, is: { total: 2 } }, "is.total", /Known: .*impressions, clicks, revenue_inr/],
  [{ stats: {}, is: { not: { click: 1 } } }, "is.not.click", /Did you mean "clicks"/],
  [{ surfaces: {}, is: { surface: [] } }, "is.surface", /Did you mean "surfaces"/],
  [{ payouts: {}, is: { pending: 0 } }, "is.pending", /"pending_inr"/],
  [{ audit: { balance: true } }, "audit.balance", /Did you mean "balanced"/],
  [{ of: "first", is: { click: 1 } }, "is.click", /Did you mean "clicks"/],
  [{ of: "publishers.0", is: { apikey: "x" } }, "is.apikey", /Did you mean "apiKey"/],
  [{ answer: "first" }, "", /must expect something/],
])("%j is refused at %s", (expectation, place, says) => {
  for (const [input, path] of [
    [atTheEnd(expectation), "expectations.0"],
    [of({ stats: {}, as: "first" }, { expect: expectation }), "steps.1.expect"],
  ] as const) {
    const { field, message } = refused(input);
    expect(field).toBe([path, place].filter(Boolean).join("."));
    expect(message).toMatch(says);
  }
});

test.each([
  { repeat: { times: 3, steps: [{ stats: {} }] } },
  { parallel: { times: 3, steps: [{ stats: {} }] } },
  { traffic: { for: "1s", arrivals: { kind: "burst", count: 3 } } },
])("a misspelt member of the tally of %j is refused", (step) => {
  const { field, message } = refused(of({ ...step, expect: { snet: 3 } }));
  expect(field).toBe("steps.0.expect.snet");
  expect(message).toMatch(/Did you mean "sent"/);
});

test("a member can be expected to be absent, and an answer's body may have any members", () => {
  for (const scenario of [
    atTheEnd({ stats: {}, is: { surfaces: { every: { clicks: { absent: true } } } } }),
    atTheEnd({ audit: { charged: { absent: true } } }),
    body({ maintenance: true, until: { hour: 9 } }),
    of({ raw: { method: "GET", path: "/" }, as: "page" }, { expect: { of: "page", is: { a: 1 } } }),
  ]) {
    expect(refusalOf(scenario)).toBeUndefined();
  }
});
