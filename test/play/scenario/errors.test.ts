/** Mistakes in scenarios are refused before anything is played: where, what is expected, and what was probably meant. */

import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/base/input.ts";
import { parseScenario, parseScenarioText } from "../../../src/play/scenario/parse-scenario.ts";
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
const body = (matcher: unknown): object => ({ impression: {}, expect: { body: matcher } });
const click = (ref: string): object => ({ click: { impression_id: { ref } } });

test("a scenario with one of everything is parsed unchanged, and frozen", () => {
  const input = structuredClone(everything);
  const scenario = parseScenario(input);
  expect(JSON.stringify(scenario)).toBe(JSON.stringify(everything));
  Object.assign(input, { steps: [] });
  expect(scenario.steps).toHaveLength(21);
  expect(Object.isFrozen(scenario.steps[1])).toBe(true);
  expect(parseScenarioText(`\uFEFF${JSON.stringify(everything, undefined, 2)}`)).toEqual(scenario);
});

test.each(arrivals.map((one) => [one]))("arrivals such as %j are accepted", (one) => {
  expect(parseScenario(of(arriving(one)))).toEqual(of(arriving(one)));
});

test("undefined members are left out", () => {
  expect(parseScenario({ ...of({ impression: {}, as: undefined }), seed: undefined })).toEqual(
    of({ impression: {} }),
  );
});

describe("refused", () => {
  test.each<[field: string, says: RegExp, input: unknown]>([
    ["scenario", /must be an object/, 3],
    ["scenario", /must be an object/, []],
    ["name", /is required/, { about: "x", steps: [first] }],
    ["name", /letters and digits/, { ...of(first), name: "a b" }],
    ["setps", /not known here\. Did you mean "steps"\?/, { ...of(first), setps: [] }],
    ["steps", /of type array, 1 or more entries/, of()],
    ["steps", /data that JSON can hold/, { ...of(), steps: new Map() }],
    ["steps.0", /JSON can hold, not undefined/, { ...of(), steps: new Array(3) }],
    ["start", /instant in ISO 8601, 1970 or later/, { ...of(first), start: "soon" }],
    ["publishers", /1000000/, { ...of(first), publishers: 0 }],
    ["profile", /must be one of .*Did you mean "typical"/, { ...of(first), profile: "typicl" }],
    [
      "assumptions.dedup.repet",
      /"dedup.repeat"/,
      { ...of(first), assumptions: { "dedup.repet": "x" } },
    ],
    ["faults.0.verdict.kind", /one of/, { ...of(first), faults: [{ verdict: { kind: "dorp" } }] }],
    [
      "thresholds",
      /array, 0 to 20 entries/,
      { ...of(first), thresholds: new Array(21).fill("sent >= 1") },
    ],
    ["thresholds.0", /as in "p99 < 50ms"/, { ...of(first), thresholds: ["p99 < 1"] }],
    ["result", /failed/, { ...of(first), result: "undecided" }],
    [
      "expectations.0.statsu",
      /Did you mean "stat/,
      { ...of(first), expectations: [{ statsu: 1 }] },
    ],
    ["expectations.0", /must have one of answer, outcome/, { ...of(first), expectations: [{}] }],
    ["expectations.0.is", /is required/, { ...of(first), expectations: [{ stats: {} }] }],
    [
      "expectations.0.invariant",
      /of all, M1/,
      { ...of(first), expectations: [{ invariant: "x" }] },
    ],
    ["steps.10000", /may have at most 10000/, of(...new Array(10_001).fill({ advance: 1 }))],
    ["steps.1.as", /name of an earlier step/, of(first, first)],
  ])("at %s: %s", refuses);

  test.each<[field: string, says: RegExp, step: unknown]>([
    ["impresion", /Did you mean "impression"\?/, { impresion: {}, expect: { status: 200 } }],
    ["", /must have one of impression, click.*, advance/, { as: "x" }],
    [
      "",
      /must have one of impression, click.*, and only one/,
      { impression: {}, click: { impression_id: "x" } },
    ],
    ["impression.adid", /not known here\. Did you mean "ad_id"\?/, { impression: { adid: "x" } }],
    ["impression.ad_id", /must be a text, a number/, { impression: { ad_id: [] } }],
    ["click.impression_id", /is required/, { click: {} }],
    ["as", /must be a letter, then/, { impression: {}, as: "1" }],
    ["as", /not "publishers"/, { impression: {}, as: "publishers" }],
    ["note", /JSON can hold, not a function/, { impression: {}, note: () => "x" }],
    ["note", /must be a text/, { impression: {}, note: "\ud800" }],
    ["timeout", /longer than 0/, { impression: {}, timeout: 0 }],
    ["timeout", /JSON can hold, not NaN/, { impression: {}, timeout: Number.NaN }],
    ["headers.content-length", /the connection/, { stats: {}, headers: { "content-length": "1" } }],
    ["headers.x-a", /printable ASCII/, { impression: {}, headers: { "x-a": "a\r\nb" } }],
    ["raw.path", /begins with a slash/, { raw: { method: "GET", path: "v1" } }],
    ["raw.method", /HTTP method/, { raw: { method: "G T", path: "/" } }],
    ["raw.method", /not CONNECT/, { raw: { method: "Connect", path: "/" } }],
    ["advance", /whole milliseconds/, { advance: "soon" }],
    ["advance.to", /an instant/, { advance: { to: "soon" } }],
    ["assume.dedup.repeat", /"cont".*Did you mean "count"/, { assume: { "dedup.repeat": "cont" } }],
    ["signUp.surfaces.0.name", /must not be empty/, { signUp: { surfaces: [{ name: "" }] } }],
    ["signUp", /must be an object/, { signUp: [] }],
    ["setSurface.status", /must be one of active/, { setSurface: { status: "gone" } }],
    ["setSurface", /status, cpmRange or both/, { setSurface: {} }],
    ["parallel.steps.0.advance", /not known here/, { parallel: { steps: [{ advance: 1 }] } }],
    ["repeat.times", /whole number, 1 or more/, repeated(first, 1e300)],
    ["stats.from.daysAgo", /must be/, { stats: { from: { daysAgo: -1 } } }],
    // Expectations and matchers.
    ["expect", /must have at least one of/, { impression: {}, expect: {} }],
    ["expect", /no request comes before/, { expect: { status: 200 } }],
    ["expect.headers.ETag", /lower case/, { impression: {}, expect: { headers: { ETag: "x" } } }],
    [
      "expect.status.atleast",
      /"atLeast"/,
      { impression: {}, expect: { status: { atleast: 400 } } },
    ],
    ["expect.body", /has atLeast, but a rule has one key/, body({ atLeast: 1, atMost: 2 })],
    ["expect.body.a.between", /lower bound first/, body({ a: { between: [2, 1] } })],
    ["expect.body.a.0.atLeast", /must be a number/, body({ a: [{ atLeast: "1" }] })],
    ["expect.body.a.0.not.ref", /has 25/, body({ a: [{ not: { ref: "publishers.30.id" } }] })],
    // References.
    ["click.impression_id.ref", /None comes before/, click("first.impression_id")],
    // Traffic.
    ["traffic.arrivals.kind", /Did you mean "constant"/, arriving({ kind: "constnt" })],
    ["traffic.arrivals.rate", /such as .*"8000\/m"/, arriving({ ...constant, rate: "8000/y" })],
    ["traffic.arrivals.rate", /above 0/, arriving({ kind: "poisson", rate: "0/s" })],
    ["traffic.arrivals.from", /number/, arriving({ kind: "ramp", from: "x", to: "1/s" })],
    ["traffic.arrivals", /above 0/, arriving({ kind: "ramp", from: "0/s", to: "0/s" })],
    ["traffic.arrivals.hours", /24/, arriving({ kind: "daily", mean: "8/m", hours: [1, 2] })],
    [
      "traffic.arrivals.hours.0",
      /./,
      arriving({ kind: "daily", mean: "8/m", hours: day.with(0, "1") }),
    ],
    [
      "traffic.arrivals.hours",
      /above 0/,
      arriving({ kind: "daily", mean: "8/m", hours: day.map(() => 0) }),
    ],
    ["traffic.arrivals.count", /number, 1 to/, arriving({ kind: "burst", count: 1.5 })],
    ["traffic.arrivals.every", /longer than 0/, arriving({ kind: "burst", count: 1, every: 0 })],
    [
      "traffic.arrivals",
      /no longer/,
      arriving({ kind: "burst", count: 1, every: "1s", within: "2s" }),
    ],
    ["traffic.arrivals.atMs", /in ascending order/, arriving({ kind: "trace", atMs: [] })],
    ["traffic.arrivals.atMs", /in ascending order/, arriving({ kind: "trace", atMs: [2, 1] })],
    ["traffic.arrivals.atMs.0", /0 or more/, arriving({ kind: "trace", atMs: [-1] })],
    ["traffic", /longer than the last entry/, arriving({ kind: "trace", atMs: [0, 600_000] })],
    ["traffic.mix", /one of them above 0/, traffic({ mix: { stats: 0 } })],
    ["traffic.mix.stats", /to 1,000,000,000/, traffic({ mix: { stats: 1e10 } })],
    ["traffic.repeatedSessions", /from 0 to 1/, traffic({ repeatedSessions: 1.1 })],
    [
      "traffic.clicks.after",
      /whole milliseconds/,
      traffic({ clicks: { rate: 0.1, after: "soon" } }),
    ],
    ["traffic.surfaces", /number, 1 or more/, traffic({ surfaces: 0 })],
    ["traffic.timeout", /whole milliseconds|longer than 0/, traffic({ timeout: "soon" })],
    ["traffic.publishers", /array, 1 or more entries/, traffic({ publishers: [] })],
    [
      "traffic.publishers.1",
      /doesn't exist: the scenario has 25/,
      traffic({ publishers: [0, 25] }),
    ],
    ["traffic.for", /longer than 0/, traffic({ for: "0s" })],
  ])("of a step, at %s: %s", (field, says, step) => {
    refuses(["steps.0", field].filter(Boolean).join("."), says, of(step));
  });

  test.each<[field: string, says: RegExp, before: object, step: object]>([
    ["click.impression_id.ref", /Did you mean "first"/, first, click("frist.impression_id")],
    ["click.impression_id.ref", /Did you mean "impression_id"/, first, click("first.impresion_id")],
    ["click.impression_id.ref", /with an output/, { advance: 1, as: "first" }, click("first.x")],
    [
      "publisher",
      /Did you mean "acme"/,
      { signUp: {}, as: "acme" },
      { stats: {}, publisher: "acne" },
    ],
    ["publisher", /of a signUp step/, first, { impression: {}, publisher: "first" }],
    [
      "advance.retryAfterOf",
      /of a request/,
      { signUp: {}, as: "a" },
      { advance: { retryAfterOf: "a" } },
    ],
    ["expect.answer", /\("as"\) of a request/, first, { expect: { answer: "b", status: 200 } }],
    [
      "headers.a.of",
      /of a request/,
      first,
      { stats: {}, headers: { a: { header: "b", of: "c" } } },
    ],
    ["expect.of", /"refused"/, { ...traffic({}), as: "t" }, { expect: { of: "t.refusd", is: 0 } }],
    [
      "parallel.steps.1.click.impression_id.ref",
      /a step with an output before this/,
      { advance: 1 },
      { parallel: { steps: [first, click("first.impression_id")] } },
    ],
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
  expect(field).toBe(`steps.0.${"expect.body.again.".repeat(3)}expect…`);
  expect(message).toMatch(/deeper than 100/);
});

test("the caller sets how many steps and requests a scenario may have", () => {
  const scenario = of(repeated(first, 11));
  expect(parseScenario(scenario, { maxRequests: 11, maxSteps: 2 })).toEqual(scenario);
  expect(refusalOf(scenario, { maxSteps: 1 })?.message).toContain("at most 1");
  expect(refusalOf(scenario, { maxRequests: 10 })?.message).toContain("the maximum is 10");
  for (const step of [
    arriving({ kind: "burst", count: 100_000_000 }),
    repeated(repeated(repeated(first))),
  ]) {
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

test.each<[text: string, field: string, says: RegExp]>([
  ["", "scenario", /is not valid JSON: Unexpected end/],
  ['{"name": "a" "about"}', "scenario", /is not valid JSON: Expected ',' or '}'.* position 13/],
  [`{"name": ${"x".repeat(1000)}`, "scenario", /^.{50,200}$/],
  ["[".repeat(1_000_000), "scenario", /./],
  ['{"name": "a"}', "about", /is required/],
])("the text %j is refused", (text, field, says) => {
  const refused = expect.objectContaining({ field, message: expect.stringMatching(says) });
  expect(() => parseScenarioText(text)).toThrow(InputError);
  expect(() => parseScenarioText(text)).toThrow(refused);
});
