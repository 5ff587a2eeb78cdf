/** An invalid rule is refused: the error names the field and what is expected there, and nothing changes. */

import { describe, expect, test } from "vitest";
import { createSimulator, type FaultRule, InputError } from "../../src/index.ts";

const drop = { kind: "drop" };
const respond = { kind: "respond", status: 500 };
let deep: unknown = 1;
for (let level = 0; level < 100_000; level += 1) deep = [deep];

type Wrong = readonly [what: string, given: unknown, field: string, told: RegExp];

const wrongRules: readonly Wrong[] = [
  ["a string in its place", "drop", "rule", /must be an object such as/],
  ["null in its place", null, "rule", /must be an object such as/],
  ["a list in its place", [{ verdict: drop }], "rule", /must be an object, not a list/],
  ["a Map in its place", new Map([["verdict", drop]]), "rule", /must be an object such as/],
  ["no verdict", {}, "verdict", /is required/],
  [
    "an unknown member",
    { verdict: drop, when: 1 },
    "when",
    /is not known here\. Known: id, match, verdict and ttl/,
  ],
  ["__proto__", JSON.parse('{"__proto__":1,"verdict":{"kind":"drop"}}'), "__proto__", /not known/],
  ["constructor", { verdict: drop, constructor: 1 }, "constructor", /is not known here/],
  ["an empty id", { id: "", verdict: drop }, "id", /1 to 64 letters, digits/],
  ["a long id", { id: "x".repeat(65), verdict: drop }, "id", /1 to 64/],
  ["an id with a slash", { id: "a/b", verdict: drop }, "id", /1 to 64/],
  ["an id of dots", { id: "..", verdict: drop }, "id", /not only dots/],
  ["a number for an id", { id: 1, verdict: drop }, "id", /must be a string/],
  [
    'the id "any", which filters use',
    { id: "any", verdict: drop },
    "id",
    /not only dots, "any" or "none"/,
  ],
  [
    'the id "none", which filters use',
    { id: "none", verdict: drop },
    "id",
    /not only dots, "any" or "none"/,
  ],
  [
    "an id that is taken",
    { id: "taken", verdict: drop },
    "id",
    /already the id of a rule.*choose another id/,
  ],
  ["a time to live of 0", { ttl: 0, verdict: drop }, "ttl", /must be longer than 0/],
  ["a negative time to live", { ttl: -1, verdict: drop }, "ttl", /whole milliseconds/],
  [
    "an endless time to live",
    { ttl: Number.POSITIVE_INFINITY, verdict: drop },
    "ttl",
    /whole milliseconds/,
  ],
  ["a time to live in words", { ttl: "an hour", verdict: drop }, "ttl", /"90s"/],
];

/** As `match`. */
const wrongMatches: readonly Wrong[] = [
  ["a list", [], "", /must be an object/],
  ["a Map", new Map([["nth", 1]]), "", /must be an object/],
  ["null", null, "", /must be an object/],
  ["an unknown condition", { ntth: 1 }, "ntth", /not known here\. Did you mean "nth"\?/],
  [
    "an unknown operation",
    { operation: "clik" },
    "operation",
    /one of stats, impression, click, surfaces, payouts/,
  ],
  [
    "an unknown operation in a list",
    { operation: ["click", "clik"] },
    "operation.1",
    /one of stats/,
  ],
  ["an empty list of operations", { operation: [] }, "operation", /must not be an empty list/],
  [
    "a key for a publisher",
    { publisher: "key_0000000000000" },
    "publisher",
    /an id, not an API key/,
  ],
  ["an empty publisher", { publisher: "" }, "publisher", /must not be empty/],
  ["a number for a surface", { surface: [1] }, "surface.0", /must be a string/],
  ["a beginning in words", { from: "tomorrow" }, "from", /ISO 8601/],
  ["a number for an end", { until: 5 }, "until", /ISO 8601/],
  [
    "an end before the beginning",
    { from: "2026-01-02", until: "2026-01-02" },
    "",
    /from before until/,
  ],
  [
    "a repeat for 0 ms",
    { repeat: { for: 0, every: 2 } },
    "repeat",
    /longer than 0 and shorter than every/,
  ],
  [
    "a repeat that never pauses",
    { repeat: { for: "1m", every: "60s" } },
    "repeat",
    /shorter than every/,
  ],
  ["a repeat without every", { repeat: { for: 1 } }, "repeat.every", /required/],
  ["the 0th", { nth: 0 }, "nth", /whole number, 1 or more/],
  ["the NaNth", { nth: [1, Number.NaN] }, "nth.1", /whole number, 1 or more/],
  ["every 1.5th", { every: 1.5 }, "every", /whole number, 1 or more/],
  ["every -0th", { every: -0 }, "every", /whole number, 1 or more/],
  ["an infinite times", { times: Number.POSITIVE_INFINITY }, "times", /whole number/],
  ["a share above 1", { share: 1.1 }, "share", /from 0 to 1/],
  ["a share that is no number", { share: "5%" }, "share", /a number from 0 to 1/],
  ["a share of NaN", { share: Number.NaN }, "share", /a number from 0/],
  ["an unknown per", { per: "key" }, "per", /one of publisher, world/],
];

/** As `verdict`. */
const wrongVerdicts: readonly Wrong[] = [
  ["a verdict that is a string", "drop", "", /must be an object, not "drop"/],
  ["a verdict without a kind", {}, "kind", /one of "delay", "respond", "drop"/],
  ["a misspelt kind", { kind: "dorp" }, "kind", /"reorder", not "dorp"/],
  ["another kind's member", { ...drop, status: 500 }, "status", /not known here/],
  ["an unknown loss", { ...drop, as: "rst" }, "as", /one of close, reset, silence/],
  ["no delay", { kind: "delay" }, "delay", /is required/],
  ["a long delay", { kind: "delay", delay: "61m" }, "delay", /at most an hour/],
  ["a delay that is a list", { kind: "delay", delay: [] }, "delay.from", /required/],
  [
    "a delay whose bounds are swapped",
    { ...drop, delay: { from: 2, to: 1 } },
    "delay",
    /not have from above to/,
  ],
  ["a delay up to a day", { ...drop, delay: { from: 2, to: "1d" } }, "delay.to", /at most an hour/],
  [
    "a long tail from 0",
    { ...drop, delay: { from: 0, to: 1, shape: "long-tailed" } },
    "delay",
    /from above 0/,
  ],
  [
    "an unknown shape",
    { ...drop, delay: { from: 0, to: 1, shape: "normal" } },
    "delay.shape",
    /uniform or long-tailed/,
  ],
  ["two places to cut", { kind: "truncate", atByte: 1, share: 0.5 }, "", /either atByte or share/],
  ["no place to cut", { kind: "truncate" }, "", /either atByte or share/],
  ["a cut before the beginning", { kind: "truncate", atByte: -1 }, "atByte", /whole number from 0/],
  ["unknown garbage", { kind: "garbage", as: "head" }, "as", /one of body, response/],
  ["a drip without a pace", { kind: "drip" }, "bytesPerSecond", /required/],
  ["a pace of 0", { kind: "drip", bytesPerSecond: 0 }, "bytesPerSecond", /from 0.001 to/],
  ["an unknown answer", { kind: "duplicate", answer: 2 }, "answer", /one of first, second/],
  ["a reorder by 0", { kind: "reorder", by: 0 }, "by", /from 1 to 1000/],
  ["a reorder of at most a month", { kind: "reorder", atMost: "30d" }, "atMost", /at most an hour/],
];

/** Members of a verdict `respond`. */
const wrongResponses: readonly Wrong[] = [
  ["a status of 100", { status: 100 }, "status", /from 200 to 599/],
  ["a status in words", { status: "503" }, "status", /from 200 to 599/],
  ["a body with 204", { status: 204, body: "" }, "", /no body with status 204, 205 or 304/],
  ["headers in a list", { headers: [] }, "headers", /by header name/],
  ["a Headers object", { headers: new Headers({ a: "b" }) }, "headers", /by header name/],
  [
    "a header that the transport sets",
    { headers: { "Content-Length": "1" } },
    "headers.Content-Length",
    /the transport sets it/,
  ],
  ["a header with a space", { headers: { "a b": "1" } }, "headers.a b", /not a valid header name/],
  ["a header without a name", { headers: { "": "1" } }, "headers.", /not a valid header name/],
  // `new Headers` takes both; Node doesn't send them.
  ["a line break in a header", { headers: { a: "b\n" } }, "headers.a", /can't be sent/],
  ["a control character in a header", { headers: { a: "b\u0001" } }, "headers.a", /can't be sent/],
  [
    "a number in a header",
    { headers: { "Retry-After": 5 } },
    "headers.Retry-After",
    /must be a string/,
  ],
  ["a line break in a header", { headers: { a: "1\r\nb: 2" } }, "headers.a", /can't be sent/],
  ["an emoji in a header", { headers: { a: "☃" } }, "headers.a", /can't be sent/],
  ["a body of bytes", { body: new Uint8Array(1) }, "body", /text or a value that JSON can write/],
  ["a function for a body", { body: () => 1 }, "body", /JSON can write/],
  ["a body that JSON can't write", { body: { a: 1n } }, "body", /JSON can write/],
  ["a body too deep for JSON", { body: deep }, "body", /JSON can write/],
  ["applied in words", { applied: "yes" }, "applied", /true or false/],
];

const within = (name: string, field: string): string => (field === "" ? name : `${name}.${field}`);

/** Cases by mistake: the rule, the field, and the message. */
const wrong: readonly Wrong[] = [
  ...wrongRules,
  ...wrongMatches.map(
    ([what, match, field, told]): Wrong => [
      `match: ${what}`,
      { match, verdict: drop },
      within("match", field),
      told,
    ],
  ),
  ...[
    ...wrongVerdicts,
    ...wrongResponses.map(
      ([what, members, field, told]): Wrong => [
        what,
        { ...respond, ...(members as object) },
        field,
        told,
      ],
    ),
  ].map(
    ([what, verdict, field, told]): Wrong => [what, { verdict }, within("verdict", field), told],
  ),
];

describe("a rule with", () => {
  const sim = createSimulator({ faults: [{ id: "taken", verdict: { kind: "drop" } }] });
  const before = sim.snapshot();

  test.each(wrong)("%s is refused", (what, rule, field, told) => {
    let error: unknown;
    try {
      sim.faults.add(rule as FaultRule);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InputError);
    const { field: named, message, reason } = error as InputError;
    expect(named).toBe(field);
    expect(message).toMatch(told);
    expect(message.startsWith(`${field} `)).toBe(true);
    expect(reason).toBe(what === "an id that is taken" ? "conflict" : "invalid");
    expect(sim.snapshot()).toEqual(before);
  });
});

describe("the option faults", () => {
  test.each<[faults: unknown, field: string]>([
    [{}, "faults"],
    ["faults.json", "faults"],
    [["drop"], "faults.0"],
    [[{ verdict: drop }, { verdict: { kind: "dorp" } }], "faults.1.verdict.kind"],
    [
      [
        { id: "a", verdict: drop },
        { id: "a", verdict: drop },
      ],
      "faults.1.id",
    ],
    [[{ match: { nth: 0 }, verdict: drop }], "faults.0.match.nth"],
    [Array.from({ length: 1001 }, () => ({ verdict: drop })), "faults"],
  ])("refuses %o, and the error names %s", (faults, field) => {
    const make = (): unknown => createSimulator({ faults: faults as FaultRule[] });
    expect(make).toThrow(InputError);
    expect(make).toThrow(expect.objectContaining({ field }));
  });
});

test("at most a thousand rules are accepted, and the error says so", () => {
  const faults = Array.from({ length: 1000 }, () => ({ verdict: drop }) as FaultRule);
  const sim = createSimulator({ faults });
  const add = (): unknown => sim.faults.add({ verdict: { kind: "drop" } });
  expect(add).toThrow(expect.objectContaining({ reason: "conflict" }));
  expect(add).toThrow(/already has 1000 rules, the maximum/);
  sim.faults.remove("rule-5");
  add();
  expect(sim.faults.list().length).toBe(1000);
});
