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

test.each<[expected: unknown, within: string]>([
  ["200", ""],
  ["2xx", ""],
  [true, ""],
  [null, ""],
  [[200], ""],
  [{ numbered: "20" }, ""],
  [{ header: "x-status", of: "first" }, ""],
  [{ startsWith: "2" }, ""],
  [{ length: 3, type: "string" }, ""],
  [{}, ""],
  [{ contains: "2" }, ""],
  [{ every: 200 }, ""],
  [{ oneOf: [200, "404"] }, ".oneOf.1"],
  [{ not: "200" }, ".not"],
  [{ not: { oneOf: ["200"] } }, ".not.oneOf.0"],
  [{ equals: "200" }, ".equals"],
  [{ oneOf: [200, 2000] }, ".oneOf.1"],
])("a status is never %j", (expected, within) => {
  const { field, message } = refused(status(expected));
  expect(field).toBe(`steps.0.expect.status${within}`);
  expect(message).toMatch(/from 100 to 599/);
  expect(validates(status(expected))).toBe(false);
});

test.each([
  [200],
  [{ atLeast: 400 }],
  [{ atMost: { sum: [200, 99] } }],
  [{ between: [200, 299] }],
  [{ oneOf: [200, { atLeast: 500 }] }],
  [{ not: { oneOf: [429, 503] } }],
  [{ equals: 200 }],
  [{ type: "integer" }],
])("a status may be %j", (expected) => {
  expect(refusalOf(status(expected))).toBeUndefined();
  validates(status(expected));
  expect(validates.errors ?? []).toEqual([]);
});

test.each<[matcher: object, meant: string]>([
  [{ greaterThan: 0 }, "atLeast"],
  [{ gte: 0 }, "atLeast"],
  [{ moreThan: 0 }, "atLeast"],
  [{ lessThan: 0 }, "atMost"],
  [{ at_most: 0 }, "atMost"],
  [{ startswith: "a" }, "startsWith"],
  [{ equal: 0 }, "equals"],
])("%j is refused as a misnamed rule, not matched as members", (matcher, meant) => {
  for (const expected of [matcher, { clicks: matcher }, { surfaces: [{ deep: matcher }] }]) {
    const { field, message } = refused(body(expected));
    expect(field).toMatch(/^steps\.0\.expect\.body/);
    expect(message).toContain(`Did you mean "${meant}"?`);
  }
});

test("data that looks like a rule can be written under equals, or beside other members", () => {
  expect(refusalOf(body({ a: { equals: { greaterThan: 0 } } }))).toBeUndefined();
  expect(refusalOf(body({ a: { greaterThan: 0, unit: "ms" } }))).toBeUndefined();
});

test.each<[expectation: object, place: string, says: RegExp]>([
  [{ stats: {}, is: { impresions: 2 } }, "is.impresions", /Did you mean "impressions"/],
  [{ stats: {}, is: { total: 2 } }, "is.total", /Members: .*impressions, clicks, revenue_inr/],
  [{ stats: {}, is: { ok: true } }, "is.ok", /does not exist here/],
  [{ stats: {}, is: { period: { form: "2026-01-01" } } }, "is.period.form", /Did you mean "from"/],
  [
    { stats: {}, is: { surfaces: { some: { revenu: { atLeast: 1 } } } } },
    "is.surfaces.some.revenu",
    /Did you mean "revenue"/,
  ],
  [{ stats: {}, is: { surfaces: [{ idd: "x" }] } }, "is.surfaces.0.idd", /Did you mean "id"/],
  [{ stats: {}, is: { not: { click: 1 } } }, "is.not.click", /Did you mean "clicks"/],
  [{ stats: {}, is: { oneOf: [{ clicks: 1 }, { clikcs: 2 }] } }, "is.oneOf.1.clikcs", /"clicks"/],
  [{ stats: {}, is: { clicks: { above: 1 } } }, "is.clicks", /value or a rule with one key/],
  [{ stats: {}, is: { clicks: { not: { min: 1 } } } }, "is.clicks.not", /value or a rule/],
  [{ stats: {}, is: { clicks: [1] } }, "is.clicks", /must not be a list/],
  [{ stats: {}, is: { surfaces: { id: "x" } } }, "is.surfaces", /must be a list, or a rule/],
  [{ surfaces: {}, is: { surface: [] } }, "is.surface", /Did you mean "surfaces"/],
  [{ payouts: {}, is: { pending: 0 } }, "is.pending", /"pending_inr"/],
  [{ audit: { balance: true } }, "audit.balance", /Did you mean "balanced"/],
  [{ audit: { total: { aplied: 1 } } }, "audit.total.aplied", /Did you mean "applied"/],
  [{ audit: { total: { clicks: { lots: 1 } } } }, "audit.total.clicks.lots", /does not exist here/],
  [
    { audit: { publishers: { some: { pubisher: 1 } } } },
    "audit.publishers.some.pubisher",
    /"publisher"/,
  ],
  [{ of: "first.period", is: { till: "x" } }, "is.till", /Members: from and to/],
  [{ of: "first", is: { clicks: { greater: 1 } } }, "is.clicks", /value or a rule/],
  [{ of: "publishers.0", is: { apikey: "x" } }, "is.apikey", /Did you mean "apiKey"/],
])("%j is refused at %s", (expectation, place, says) => {
  const { field, message } = refused(atTheEnd(expectation));
  expect(field).toBe(`expectations.0.${place}`);
  expect(message).toMatch(says);
  const { field: inStep } = refused(of({ stats: {}, as: "first" }, { expect: expectation }));
  expect(inStep).toBe(`steps.1.expect.${place}`);
});

test.each<[expected: object, place: string, says: RegExp]>([
  [{ snet: 3 }, "snet", /Did you mean "sent"/],
  [{ statuses: { ok: 3 } }, "statuses.ok", /must be a number, such as 200/],
  [{ statuses: { "2OO": 3 } }, "statuses.2OO", /must be a number, such as 200/],
  [{ operations: { impressions: { sent: 1 } } }, "operations.impressions", /"impression"/],
  [{ operations: { stats: { failed: 1 } } }, "operations.stats.failed", /Members: sent and ok/],
  [{ sent: { gt: 1 } }, "sent", /Did you mean "atLeast"/],
])("a tally is never %j", (expected, place, says) => {
  for (const step of [
    { repeat: { times: 3, steps: [{ stats: {} }] } },
    { parallel: { times: 3, steps: [{ stats: {} }] } },
    { traffic: { for: "1s", arrivals: { kind: "burst", count: 3 } } },
  ]) {
    const { field, message } = refused(of({ ...step, expect: expected }));
    expect(field).toBe(`steps.0.expect.${place}`);
    expect(message).toMatch(says);
  }
});

test("a member can be expected to be absent, and an answer's body may have any members", () => {
  for (const scenario of [
    atTheEnd({ stats: {}, is: { surfaces: { every: { clicks: { absent: true } } } } }),
    atTheEnd({ audit: { total: { charged: { absent: true } } } }),
    body({ maintenance: true, until: { hour: 9 } }),
    of({ raw: { method: "GET", path: "/" }, as: "page" }, { expect: { of: "page", is: { a: 1 } } }),
  ]) {
    expect(refusalOf(scenario)).toBeUndefined();
  }
});
