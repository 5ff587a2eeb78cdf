import { expect, test } from "vitest";
import { countRequests } from "../../../src/play/scenario/count-requests.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { arrivals, everything, of, refusalOf } from "./everything.ts";

const first = { impression: {}, as: "first" };
const constant = { kind: "constant", rate: "10/s" };
const repeated = (step: unknown, times = 1_000_000): object => ({
  repeat: { times, steps: [step] },
});
const click = (ref: string): object => ({ click: { impression_id: { ref } } });

test("a scenario with one of everything is parsed unchanged, and frozen", () => {
  const input = structuredClone(everything);
  const scenario = parseScenario(input);
  expect(scenario).toEqual(everything);
  Object.assign(input, { steps: [] });
  expect(scenario.steps).toHaveLength(21);
  expect(Object.isFrozen(scenario.steps[1])).toBe(true);
  expect(() => Object.assign(scenario.steps[0] ?? {}, { as: "other" })).toThrow(TypeError);
});

test.each(arrivals.map((one) => [one]))("arrivals such as %j are accepted", (one) => {
  const scenario = of({ traffic: { for: "10m", arrivals: one } });
  expect(parseScenario(scenario)).toEqual(scenario);
});

test("undefined members are left out", () => {
  expect(parseScenario({ ...of({ impression: {}, as: undefined }), seed: undefined })).toEqual(
    of({ impression: {} }),
  );
});

test.each<[field: string, says: RegExp, input: unknown]>([
  ["scenario", /must be an object/, 3],
  ["scenario", /must be an object/, []],
  ["name", /is required/, { about: "x", steps: [first] }],
  ["name", /letters and digits/, { ...of(first), name: "a b" }],
  ["setps", /not known here\. Did you mean "steps"\?/, { ...of(first), setps: [] }],
  ["steps", /must not be empty/, of()],
  ["start", /instant in ISO 8601, 1970 or later/, { ...of(first), start: "soon" }],
  ["publishers", /from 1 to 1000000/, { ...of(first), publishers: 0 }],
  ["profile", /must be one of .*Did you mean "typical"/, { ...of(first), profile: "typicl" }],
  [
    "assumptions.dedup.repet",
    /Did you mean "dedup.repeat"/,
    { ...of(first), assumptions: { "dedup.repet": "replay" } },
  ],
  [
    "faults.0.verdict.kind",
    /must be one of/,
    { ...of(first), faults: [{ verdict: { kind: "dorp" } }] },
  ],
  ["thresholds", /at most 20/, { ...of(first), thresholds: new Array(21).fill("sent >= 1") }],
  ["expectations.0", /must have one of/, { ...of(first), expectations: [{ statsu: 1 }] }],
  // Steps.
  [
    "steps.1",
    /must have one of impression, click.* Did you mean "impression"\?/,
    of(first, { impresion: {} }),
  ],
  [
    "steps.0",
    /has impression and click. Only one of these/,
    of({ impression: {}, click: { impression_id: "x" } }),
  ],
  [
    "steps.0.impression.adid",
    /not known here\. Did you mean "ad_id"\?/,
    of({ impression: { adid: "x" } }),
  ],
  ["steps.0.impression.ad_id", /must be a text, a number/, of({ impression: { ad_id: [] } })],
  ["steps.0.click.impression_id", /is required/, of({ click: {} })],
  ["steps.0.as", /must be a letter, then/, of({ impression: {}, as: "1" })],
  ["steps.0.as", /must not be "publishers"/, of({ impression: {}, as: "publishers" })],
  ["steps.1.as", /name of an earlier step/, of(first, first)],
  ["steps.0.timeout", /longer than 0/, of({ impression: {}, timeout: 0 })],
  [
    "steps.0.headers.content-length",
    /belongs to the connection/,
    of({ impression: {}, headers: { "content-length": "1" } }),
  ],
  ["steps.0.headers.x-a", /printable ASCII/, of({ impression: {}, headers: { "x-a": "a\r\nb" } })],
  [
    "steps.0.headers.X-A",
    /appears twice/,
    of({ impression: {}, headers: { "x-a": "a", "X-A": "b" } }),
  ],
  ["steps.0.raw.path", /begins with a slash/, of({ raw: { method: "GET", path: "v1" } })],
  ["steps.0.raw.method", /HTTP method/, of({ raw: { method: "G T", path: "/" } })],
  ["steps.0.advance", /whole milliseconds/, of({ advance: "soon" })],
  [
    "steps.0.assume.dedup.repeat",
    /has no choice "cont".*Did you mean "count"/,
    of({ assume: { "dedup.repeat": "cont" } }),
  ],
  [
    "steps.0.signUp.surfaces.0.name",
    /must not be empty/,
    of({ signUp: { surfaces: [{ name: "" }] } }),
  ],
  ["steps.0.signUp", /must be an object/, of({ signUp: [] })],
  ["steps.0.setSurface.status", /must be one of active/, of({ setSurface: { status: "gone" } })],
  ["steps.0.setSurface", /status, cpmRange or both/, of({ setSurface: {} })],
  [
    "steps.0.parallel.steps.0",
    /must have one of impression, click, stats/,
    of({ parallel: { steps: [{ advance: 1 }] } }),
  ],
  [
    "steps.0.repeat.steps.0.expect.status",
    /from 100 to 599/,
    of(repeated({ impression: {}, expect: { status: 2000 } })),
  ],
  // Traffic.
  ["steps.0.traffic.for", /longer than 0/, of({ traffic: { for: 0, arrivals: constant } })],
  [
    "steps.0.traffic.arrivals.kind",
    /Did you mean "constant"/,
    of({ traffic: { for: 1, arrivals: { kind: "constnt" } } }),
  ],
  [
    "steps.0.traffic.arrivals.rate",
    /such as .*"8000\/m"/,
    of({ traffic: { for: 1, arrivals: { kind: "constant", rate: "8000/y" } } }),
  ],
  [
    "steps.0.traffic.arrivals.atMs",
    /in ascending order/,
    of({ traffic: { for: "1m", arrivals: { kind: "trace", atMs: [2, 1] } } }),
  ],
  [
    "steps.0.traffic",
    /longer than the last entry/,
    of({ traffic: { for: "1s", arrivals: { kind: "trace", atMs: [0, 1000] } } }),
  ],
  [
    "steps.0.traffic.mix",
    /one of them above 0/,
    of({ traffic: { for: 1, arrivals: constant, mix: { stats: 0 } } }),
  ],
  [
    "steps.0.traffic.publishers.1",
    /doesn't exist: the scenario has 25/,
    of({ traffic: { for: 1, arrivals: constant, publishers: [0, 25] } }),
  ],
  // Expectations and matchers.
  ["steps.0.expect", /must have at least one of/, of({ impression: {}, expect: {} })],
  [
    "steps.0.expect.headers.ETag",
    /lower case/,
    of({ impression: {}, expect: { headers: { ETag: "x" } } }),
  ],
  [
    "steps.0.expect.status",
    /Did you mean "atLeast"/,
    of({ impression: {}, expect: { status: { atleast: 400 } } }),
  ],
  [
    "steps.0.expect.body",
    /has atLeast next to atMost: a rule has one key/,
    of({ impression: {}, expect: { body: { atLeast: 1, atMost: 2 } } }),
  ],
  [
    "steps.0.expect.body.a.between",
    /lower bound first/,
    of({ impression: {}, expect: { body: { a: { between: [2, 1] } } } }),
  ],
  [
    "steps.0.expect.body.a.0.atLeast",
    /must be a number/,
    of({ impression: {}, expect: { body: { a: [{ atLeast: "1" }] } } }),
  ],
  ["steps.0.expect", /no request comes before/, of({ expect: { status: 200 } })],
  [
    "expectations.0.invariant",
    /one of all, M1, M2/,
    { ...of(first), expectations: [{ invariant: "money" }] },
  ],
  // References.
  [
    "steps.1.click.impression_id.ref",
    /name \("as"\) of an earlier step.*Did you mean "first"/,
    of(first, click("frist.impression_id")),
  ],
  [
    "steps.1.click.impression_id.ref",
    /no such member\. Did you mean "impression_id"/,
    of(first, click("first.impresion_id")),
  ],
  [
    "steps.0.click.impression_id.ref",
    /an earlier step. No earlier step has a name/,
    of(click("first.impression_id"), first),
  ],
  [
    "steps.1.click.impression_id.ref",
    /object or a list/,
    of({ stats: {}, as: "first" }, click("first.surfaces")),
  ],
  [
    "steps.1.click.impression_id.ref",
    /needs a number after first.surfaces/,
    of({ stats: {}, as: "first" }, click("first.surfaces.id")),
  ],
  [
    "steps.1.click.impression_id.ref",
    /continues after first.ok/,
    of(first, click("first.ok.then")),
  ],
  [
    "steps.1.click.impression_id.ref",
    /an advance step, which has no output/,
    of({ advance: 1, as: "first" }, click("first.x")),
  ],
  [
    "steps.0.parallel.steps.1.click.impression_id.ref",
    /an earlier step. No earlier step has a name/,
    of({ parallel: { steps: [first, click("first.impression_id")] } }),
  ],
  [
    "steps.1.publisher",
    /Did you mean "acme"/,
    of({ signUp: {}, as: "acme" }, { impression: {}, publisher: "acne" }),
  ],
  [
    "steps.1.publisher",
    /only a signUp step makes a publisher/,
    of(first, { impression: {}, publisher: "first" }),
  ],
  [
    "steps.1.advance.retryAfterOf",
    /only requests have an answer/,
    of({ signUp: {}, as: "acme" }, { advance: { retryAfterOf: "acme" } }),
  ],
  [
    "steps.1.expect.answer",
    /name \("as"\) of a request/,
    of(first, { expect: { answer: "second", status: 200 } }),
  ],
  [
    "steps.1.headers.x-a.of",
    /name \("as"\) of a request/,
    of(first, { impression: {}, headers: { "x-a": { header: "etag", of: "second" } } }),
  ],
  [
    "steps.0.impression.session_id.numbered",
    /not in a repeat or parallel/,
    of({ impression: { session_id: { numbered: "s" } } }),
  ],
  ["steps.0.stats.from.daysAgo", /must be/, of({ stats: { from: { daysAgo: -1 } } })],
  ["result", /failed/, { ...of({ impression: {} }), result: "undecided" }],
  [
    "steps.1.expect.of",
    /no such member. Did you mean "refused"/,
    of({ traffic: { for: 1, arrivals: constant }, as: "t" }, { expect: { of: "t.refusd", is: 0 } }),
  ],
  [
    "steps.0.expect.body.deep.0.not.ref",
    /doesn't exist: the scenario has 25/,
    of({ impression: {}, expect: { body: { deep: [{ not: { ref: "publishers.30.id" } }] } } }),
  ],
  // Too much.
  [
    "steps.0",
    /to 3,600,000,000 requests .* the maximum is 20,000,000/,
    of({ traffic: { for: "1h", arrivals: { kind: "constant", rate: "1000000/s" } } }),
  ],
])("a mistake at %s is refused: %s", (field, says, input) => {
  const error = refusalOf(input);
  expect(error?.field).toBe(field);
  expect(error?.message).toMatch(says);
  expect(error?.reason).toBe(
    /brings the scenario to/.test(error?.message ?? "") ? "too-much" : "invalid",
  );
});

test("the caller sets how many requests a scenario may plan", () => {
  const scenario = of(repeated(first, 11));
  expect(parseScenario(scenario, { maxRequests: 11 })).toEqual(scenario);
  expect(refusalOf(scenario, { maxRequests: 10 })?.message).toContain("the maximum is 10");
  expect(refusalOf(scenario, { maxRequests: -1 })?.field).toBe("maxRequests");
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

test("for random arrivals more than the mean is planned, but not much more", () => {
  for (const arrivals of [
    { kind: "poisson", rate: "1000/s" },
    { kind: "ramp", from: "0/s", to: "2000/s", spacing: "poisson" },
    { kind: "daily", mean: "1000/s" },
  ]) {
    const planned = countRequests(parseScenario(of({ traffic: { for: "1000s", arrivals } })));
    expect(planned).toBeGreaterThan(1_006_000);
    expect(planned).toBeLessThan(arrivals.kind === "daily" ? 3_100_000 : 1_101_000);
  }
});
