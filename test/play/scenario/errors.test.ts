/** Mistakes in scenarios are refused before anything is played: where, what is expected, and what was probably meant. */

import { describe, expect, test } from "vitest";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { arrivals, everything, of, refusalOf } from "./everything.ts";

const first = { impression: {}, as: "first" };
const constant = { kind: "constant", rate: "10/s" };
const day = new Array(24).fill(1);
const repeated = (step: unknown, times = 1_000_000): object => ({
  repeat: { times, steps: [step] },
});
const traffic = (more: object): object => ({
  traffic: { for: "10m", arrivals: constant, ...more },
});
const arriving = (kind: object): object => traffic({ arrivals: kind });
const daily = (hours: unknown): object => arriving({ kind: "daily", mean: "8/m", hours });
const burst = (more: object): object => arriving({ kind: "burst", count: 1, ...more });
const body = (matcher: unknown): object => ({ impression: {}, expect: { body: matcher } });
const click = (ref: string): object => ({ click: { impression_id: { ref } } });
const having = (more: object): object => ({ ...of(first), ...more });
const expecting = (expectation: object): object => having({ expectations: [expectation] });

test("a scenario with one of everything is parsed unchanged, and frozen", () => {
  const input = structuredClone(everything);
  const scenario = parseScenario(input);
  expect(JSON.stringify(scenario)).toBe(JSON.stringify(everything));
  Object.assign(input, { steps: [] });
  expect(scenario.steps).toHaveLength(21);
  expect(Object.isFrozen(scenario.steps[1])).toBe(true);
});

test.each(arrivals.map((one) => [one]))("arrivals such as %j are accepted", (one) => {
  expect(parseScenario(of(arriving(one)))).toEqual(of(arriving(one)));
});

test("undefined members are left out", () => {
  const scenario = { ...of({ impression: {}, as: undefined }), seed: undefined };
  expect(parseScenario(scenario)).toEqual(of({ impression: {} }));
});

describe("refused", () => {
  test.each<[field: string, says: RegExp, input: unknown]>([
    ["scenario", /must be of type object/, 3],
    ["scenario", /must be of type object/, []],
    ["name", /is required/, { about: "x", steps: [first] }],
    ["name", /letters and digits/, having({ name: "a b" })],
    ["setps", /not known here\. Did you mean "steps"\?/, having({ setps: [] })],
    ["steps", /of type array, 1 or more entries/, of()],
    ["steps", /data that JSON can hold/, having({ steps: new Map() })],
    ["steps.0", /JSON can hold, not undefined/, having({ steps: new Array(3) })],
    ["start", /instant in ISO 8601, 1970 or later/, having({ start: "soon" })],
    ["publishers", /1000000/, having({ publishers: 0 })],
    ["profile", /must be one of .*Did you mean "typical"/, having({ profile: "typicl" })],
    ["assumptions.dedup.repet", /"dedup.repeat"/, having({ assumptions: { "dedup.repet": "x" } })],
    ["faults.0.verdict.kind", /one of/, having({ faults: [{ verdict: { kind: "dorp" } }] })],
    ["thresholds", /0 to 20 entries/, having({ thresholds: new Array(21).fill("sent >= 1") })],
    ["thresholds.0", /as in "p99 < 50ms"/, having({ thresholds: ["p99 < 1"] })],
    ["result", /failed/, having({ result: "undecided" })],
    ["expectations.0.statsu", /Did you mean "stat/, expecting({ statsu: 1 })],
    ["expectations.0", /must have one of answer, outcome/, expecting({})],
    ["expectations.0.is", /is required/, expecting({ stats: {} })],
    ["expectations.0.invariant", /of all, M1/, expecting({ invariant: "x" })],
    ["steps.10000", /may have at most 10000/, of(...new Array(10_001).fill({ advance: 1 }))],
    ["steps.1.as", /name of an earlier step/, of(first, first)],
  ])("at %s: %s", refuses);

  const parameter = "click.impression_id";
  test.each<[field: string, says: RegExp, step: unknown]>([
    ["impresion", /Did you mean "impression"\?/, { impresion: {}, expect: { status: 200 } }],
    ["", /must have one of impression, click.*, advance/, { as: "x" }],
    ["", /one of impression, click.*, and only one/, { impression: {}, stats: {} }],
    ["impression.adid", /not known here\. Did you mean "ad_id"\?/, { impression: { adid: "x" } }],
    ["impression.ad_id", /must be a text, a number/, { impression: { ad_id: [] } }],
    [parameter, /is required/, { click: {} }],
    [`${parameter}.rfe`, /Did you mean "ref"\?/, { click: { impression_id: { rfe: "x" } } }],
    ["as", /must be a letter, then .* not "publishers"/, { impression: {}, as: "publishers" }],
    ["note", /JSON can hold, not a function/, { impression: {}, note: () => "x" }],
    ["note", /must be a text/, { impression: {}, note: "\ud800" }],
    ["timeout", /longer than 0/, { impression: {}, timeout: 0 }],
    ["timeout", /JSON can hold, not NaN/, { impression: {}, timeout: Number.NaN }],
    ["headers.content-length", /the connection/, { stats: {}, headers: { "content-length": "1" } }],
    ["headers.x-a", /printable ASCII/, { impression: {}, headers: { "x-a": "a\r\nb" } }],
    ["raw.path", /begins with a slash/, { raw: { method: "GET", path: "v1" } }],
    ["raw.method", /not CONNECT/, { raw: { method: "Connect", path: "/" } }],
    ["advance", /whole milliseconds/, { advance: "soon" }],
    ["advance.to", /an instant/, { advance: { to: "soon" } }],
    ["assume.dedup.repeat", /"cont".*Did you mean "count"/, { assume: { "dedup.repeat": "cont" } }],
    ["signUp.surfaces.0.name", /must not be empty/, { signUp: { surfaces: [{ name: "" }] } }],
    ["setSurface.status", /must be one of active/, { setSurface: { status: "gone" } }],
    ["setSurface", /status, cpmRange or both/, { setSurface: {} }],
    ["parallel.steps.0.advance", /not known here/, { parallel: { steps: [{ advance: 1 }] } }],
    ["repeat.times", /integer, 1 or more/, repeated(first, 1e300)],
    ["stats.from.daysAgo", /integer, 0 to/, { stats: { from: { daysAgo: -1 } } }],
    // Expectations and matchers.
    ["expect", /must have at least one of/, { impression: {}, expect: {} }],
    ["expect", /no request comes before/, { expect: { status: 200 } }],
    ["expect.headers.ETag", /lower case/, { impression: {}, expect: { headers: { ETag: "x" } } }],
    ["expect.status.atleast", /"atLeast"/, { stats: {}, expect: { status: { atleast: 400 } } }],
    ["expect.body", /has atLeast, but a rule has one key/, body({ atLeast: 1, atMost: 2 })],
    ["expect.body.a.between", /lower bound first/, body({ a: { between: [2, 1] } })],
    ["expect.body.a.0.atLeast", /must be a number/, body({ a: [{ atLeast: "1" }] })],
    ["expect.body.a.0.not.ref", /has 25/, body({ a: [{ not: { ref: "publishers.30.id" } }] })],
    // References and traffic.
    [`${parameter}.ref`, /None comes before/, click("first.impression_id")],
    ["traffic.arrivals.kind", /Did you mean "constant"/, arriving({ kind: "constnt" })],
    ["traffic.arrivals.rate", /such as .*"8000\/m"/, arriving({ ...constant, rate: "8000/y" })],
    ["traffic.arrivals.rate", /above 0/, arriving({ kind: "poisson", rate: "0/s" })],
    ["traffic.arrivals", /above 0/, arriving({ kind: "ramp", from: "0/s", to: "0/s" })],
    ["traffic.arrivals.hours", /24/, daily([1, 2])],
    ["traffic.arrivals.hours", /above 0/, daily(day.map(() => 0))],
    ["traffic.arrivals.count", /integer, 1 to/, burst({ count: 1.5 })],
    ["traffic.arrivals.every", /longer than 0/, burst({ every: 0 })],
    ["traffic.arrivals", /no longer/, burst({ every: "1s", within: "2s" })],
    ["traffic.arrivals.atMs", /in ascending order/, arriving({ kind: "trace", atMs: [2, 1] })],
    ["traffic.arrivals.atMs.0", /0 or more/, arriving({ kind: "trace", atMs: [-1] })],
    ["traffic", /longer than the last entry/, arriving({ kind: "trace", atMs: [0, 600_000] })],
    ["traffic.mix", /one of them above 0/, traffic({ mix: { stats: 0 } })],
    ["traffic.mix.stats", /to 1,000,000,000/, traffic({ mix: { stats: 1e10 } })],
    ["traffic.repeatedSessions", /from 0 to 1/, traffic({ repeatedSessions: 1.1 })],
    ["traffic.publishers.1", /the scenario has 25/, traffic({ publishers: [0, 25] })],
    ["traffic.for", /longer than 0/, traffic({ for: "0s" })],
  ])("of a step, at %s: %s", (field, says, step) => {
    refuses(["steps.0", field].filter(Boolean).join("."), says, of(step));
  });

  const acme = { signUp: {}, as: "acme" };
  const later = { parallel: { steps: [first, click("first.impression_id")] } };
  test.each<[field: string, says: RegExp, before: object, step: object]>([
    [`${parameter}.ref`, /Did you mean "first"/, first, click("frist.impression_id")],
    [`${parameter}.ref`, /Did you mean "impression_id"/, first, click("first.impresion_id")],
    [`${parameter}.ref`, /with an output/, { advance: 1, as: "first" }, click("first.x")],
    ["publisher", /Did you mean "acme"/, acme, { stats: {}, publisher: "acne" }],
    ["publisher", /of a signUp step/, first, { impression: {}, publisher: "first" }],
    ["advance.retryAfterOf", /of a request/, acme, { advance: { retryAfterOf: "acme" } }],
    ["expect.answer", /\("as"\) of a request/, first, { expect: { answer: "b", status: 200 } }],
    [
      "headers.a.of",
      /of a request/,
      first,
      { stats: {}, headers: { a: { header: "b", of: "c" } } },
    ],
    ["expect.of", /"refused"/, { ...traffic({}), as: "t" }, { expect: { of: "t.refusd", is: 0 } }],
    [`parallel.steps.1.${parameter}.ref`, /an output before this/, acme, later],
  ])("of a second step, at %s: %s", (field, says, before, step) => {
    refuses(`steps.1.${field}`, says, of(before, step));
  });

  function refuses(field: string, says: RegExp, input: unknown): void {
    const error = refusalOf(input);
    expect(error?.field).toBe(field);
    expect(error?.message).toMatch(says);
    expect(error?.reason).toBe("invalid");
  }
});

test("depth is limited, so a circle is refused", () => {
  const step: Record<string, unknown> = { impression: {} };
  step.expect = { body: { again: step } };
  const { field, message } = refusalOf(of(step)) ?? {};
  expect(field).toMatch(/^steps\.0\.expect\.body\.again.*…$/);
  expect(message).toMatch(/deeper than 100/);
});

test("the caller sets how many steps and requests a scenario may have", () => {
  const scenario = of(repeated(first, 11));
  expect(parseScenario(scenario, { maxRequests: 11, maxSteps: 2 })).toEqual(scenario);
  expect(refusalOf(scenario, { maxSteps: 1 })?.message).toContain("at most 1");
  expect(refusalOf(scenario, { maxRequests: 10 })?.message).toContain("the maximum is 10");
  for (const step of [burst({ count: 100_000_000 }), repeated(repeated(repeated(first)))]) {
    const { field, message, reason } = refusalOf(of(step)) ?? {};
    expect([field, reason]).toEqual(["steps.0", "too-much"]);
    expect(message).toMatch(/brings the scenario to .* the maximum is 20,000,000/);
  }
});

test("names inside repeat and parallel can be used after it, like their own tallies", () => {
  const scenario = of(
    { repeat: { times: 2, steps: [first] }, as: "rounds" },
    { parallel: { steps: [{ stats: {}, as: "other" }] } },
    click("first.impression_id"),
    { expect: { of: "rounds.statuses.200", is: { ref: "other.clicks" } } },
  );
  expect(parseScenario(scenario)).toEqual(scenario);
});
