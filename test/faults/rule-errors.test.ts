/** A rule that can't be is refused by the name of its field, says what is expected there, and changes nothing. */

import { describe, expect, test } from "vitest";
import { createSimulator, type FaultRule, InputError } from "../../src/index.ts";

const drop = { kind: "drop" };
const respond = { kind: "respond", status: 500 };
let deep: unknown = 1;
for (let level = 0; level < 100_000; level += 1) deep = [deep];

/** By what is wrong: the rule, the field, and what is said of it. */
const wrong: readonly (readonly [what: string, rule: unknown, field: string, told: RegExp])[] = [
  ["a text", "drop", "rule", /must be a rule: an object such as/],
  ["nothing", null, "rule", /must be a rule/],
  ["a list", [{ verdict: drop }], "rule", /must be a rule/],
  ["a Map", new Map([["verdict", drop]]), "rule", /must be a rule/],
  ["no verdict", {}, "verdict", /is required/],
  ["a member more", { verdict: drop, when: 1 }, "when", /is not known here/],
  ["__proto__", JSON.parse('{"__proto__":1,"verdict":{"kind":"drop"}}'), "__proto__", /not known/],
  ["constructor", { verdict: drop, constructor: 1 }, "constructor", /is not known here/],

  ["an empty id", { id: "", verdict: drop }, "id", /1 to 64 letters, digits/],
  ["a long id", { id: "x".repeat(65), verdict: drop }, "id", /1 to 64/],
  ["an id with a slash", { id: "a/b", verdict: drop }, "id", /1 to 64/],
  ["an id of dots", { id: "..", verdict: drop }, "id", /not of dots alone/],
  ["a number for an id", { id: 1, verdict: drop }, "id", /must be a string/],
  [
    "an id that filters mean otherwise",
    { id: "any", verdict: drop },
    "id",
    /must not be "any" or "none"/,
  ],
  ["another one", { id: "none", verdict: drop }, "id", /must not be "any" or "none"/],
  ["a key for an id", { id: "x-key_0000000000000", verdict: drop }, "id", /like an API key/],
  ["an id that is taken", { id: "taken", verdict: drop }, "id", /is there already.*choose another/],

  ["no time to live", { ttl: 0, verdict: drop }, "ttl", /must be longer than 0/],
  ["a negative one", { ttl: -1, verdict: drop }, "ttl", /whole milliseconds/],
  ["an endless one", { ttl: Number.POSITIVE_INFINITY, verdict: drop }, "ttl", /whole milliseconds/],
  ["one in words", { ttl: "an hour", verdict: drop }, "ttl", /"90s"/],

  ["match: a list", { match: [], verdict: drop }, "match", /must be an object/],
  ["match: a Map", { match: new Map([["nth", 1]]), verdict: drop }, "match", /must be an object/],
  ["match: null", { match: null, verdict: drop }, "match", /must be an object/],
  ["match: a member more", { match: { ntth: 1 }, verdict: drop }, "match.ntth", /not known here/],
  [
    "an unknown operation",
    { match: { operation: "clik" }, verdict: drop },
    "match.operation",
    /one of stats, impression, click, surfaces, payouts/,
  ],
  [
    "one among others",
    { match: { operation: ["click", "clik"] }, verdict: drop },
    "match.operation.1",
    /one of stats/,
  ],
  [
    "no operation of none",
    { match: { operation: [] }, verdict: drop },
    "match.operation",
    /must not be an empty list/,
  ],
  [
    "a key for a publisher",
    { match: { publisher: "key_0000000000000" }, verdict: drop },
    "match.publisher",
    /an id, not an API key/,
  ],
  [
    "no publisher",
    { match: { publisher: "" }, verdict: drop },
    "match.publisher",
    /must not be empty/,
  ],
  [
    "a number for a surface",
    { match: { surface: [1] }, verdict: drop },
    "match.surface.0",
    /must be a string/,
  ],
  [
    "a beginning in words",
    { match: { from: "tomorrow" }, verdict: drop },
    "match.from",
    /ISO 8601/,
  ],
  ["a number for an end", { match: { until: 5 }, verdict: drop }, "match.until", /ISO 8601/],
  [
    "an end before the beginning",
    { match: { from: "2026-01-02", until: "2026-01-02" }, verdict: drop },
    "match",
    /from before until/,
  ],
  [
    "nothing of a repeat",
    { match: { repeat: { for: 0, every: 2 } }, verdict: drop },
    "match.repeat",
    /longer than 0 and shorter than every/,
  ],
  [
    "all of a repeat",
    { match: { repeat: { for: "1m", every: "60s" } }, verdict: drop },
    "match.repeat",
    /shorter than every/,
  ],
  [
    "half a repeat",
    { match: { repeat: { for: 1 } }, verdict: drop },
    "match.repeat.every",
    /required/,
  ],
  ["the 0th", { match: { nth: 0 }, verdict: drop }, "match.nth", /whole number from 1 on/],
  [
    "the NaNth",
    { match: { nth: [1, Number.NaN] }, verdict: drop },
    "match.nth.1",
    /whole number from 1/,
  ],
  [
    "every 1.5th",
    { match: { every: 1.5 }, verdict: drop },
    "match.every",
    /whole number from 1 on/,
  ],
  ["every -0th", { match: { every: -0 }, verdict: drop }, "match.every", /whole number from 1 on/],
  [
    "infinitely often",
    { match: { times: Number.POSITIVE_INFINITY }, verdict: drop },
    "match.times",
    /whole number/,
  ],
  ["more than all", { match: { share: 1.1 }, verdict: drop }, "match.share", /from 0 to 1/],
  [
    "a share that is no number",
    { match: { share: "5%" }, verdict: drop },
    "match.share",
    /a number from 0 to 1/,
  ],
  [
    "a share of NaN",
    { match: { share: Number.NaN }, verdict: drop },
    "match.share",
    /a number from 0/,
  ],
  ["an unknown per", { match: { per: "key" }, verdict: drop }, "match.per", /publisher or world/],

  ["a verdict in one word", { verdict: "drop" }, "verdict", /must be an object, not "drop"/],
  ["a verdict of no kind", { verdict: {} }, "verdict.kind", /one of "delay", "respond", "drop"/],
  ["a misspelt kind", { verdict: { kind: "dorp" } }, "verdict.kind", /"reorder", not "dorp"/],
  [
    "another kind's member",
    { verdict: { ...drop, status: 500 } },
    "verdict.status",
    /not known here/,
  ],
  [
    "an unknown loss",
    { verdict: { ...drop, as: "rst" } },
    "verdict.as",
    /one of close, reset, silence/,
  ],
  ["no delay", { verdict: { kind: "delay" } }, "verdict.delay", /is required/],
  [
    "a long delay",
    { verdict: { kind: "delay", delay: "61m" } },
    "verdict.delay",
    /at most an hour/,
  ],
  [
    "a delay that is a list",
    { verdict: { kind: "delay", delay: [] } },
    "verdict.delay.from",
    /required/,
  ],
  [
    "a delay backwards",
    { verdict: { ...drop, delay: { from: 2, to: 1 } } },
    "verdict.delay",
    /not have from longer than to/,
  ],
  [
    "a delay up to a day",
    { verdict: { ...drop, delay: { from: 2, to: "1d" } } },
    "verdict.delay.to",
    /at most an hour/,
  ],
  [
    "a tail of nothing",
    { verdict: { ...drop, delay: { from: 0, to: 1, shape: "long-tailed" } } },
    "verdict.delay",
    /from above 0/,
  ],
  [
    "an unknown shape",
    { verdict: { ...drop, delay: { from: 0, to: 1, shape: "normal" } } },
    "verdict.delay.shape",
    /uniform or long-tailed/,
  ],

  [
    "a status of 100",
    { verdict: { ...respond, status: 100 } },
    "verdict.status",
    /from 200 to 599/,
  ],
  [
    "a status in words",
    { verdict: { ...respond, status: "503" } },
    "verdict.status",
    /from 200 to 599/,
  ],
  [
    "a body with 204",
    { verdict: { ...respond, status: 204, body: "" } },
    "verdict",
    /no body with status 204, 205 or 304/,
  ],
  [
    "headers in a list",
    { verdict: { ...respond, headers: [] } },
    "verdict.headers",
    /by header name/,
  ],
  [
    "a Headers",
    { verdict: { ...respond, headers: new Headers({ a: "b" }) } },
    "verdict.headers",
    /by header name/,
  ],
  [
    "a header that the transport sets",
    { verdict: { ...respond, headers: { "Content-Length": "1" } } },
    "verdict.headers.Content-Length",
    /the transport sets it/,
  ],
  [
    "a header with a space",
    { verdict: { ...respond, headers: { "a b": "1" } } },
    "verdict.headers.(unprintable)",
    /named as a header can be/,
  ],
  [
    "a header of no name",
    { verdict: { ...respond, headers: { "": "1" } } },
    "verdict.headers.(unprintable)",
    /named as a header/,
  ],
  [
    "a header __proto__",
    { verdict: { ...respond, headers: JSON.parse('{"__proto__":"1"}') } },
    "verdict.headers.__proto__",
    /named as a header/,
  ],
  [
    "a header twice",
    { verdict: { ...respond, headers: { "x-a": "1", "X-A": "1" } } },
    "verdict.headers.X-A",
    /is there twice/,
  ],
  [
    "a number in a header",
    { verdict: { ...respond, headers: { "Retry-After": 5 } } },
    "verdict.headers.Retry-After",
    /must be a string/,
  ],
  [
    "a line break in a header",
    { verdict: { ...respond, headers: { a: "1\r\nb: 2" } } },
    "verdict.headers.a",
    /printable ASCII/,
  ],
  [
    "a space before a header",
    { verdict: { ...respond, headers: { a: " 1" } } },
    "verdict.headers.a",
    /without a space/,
  ],
  [
    "a body of bytes",
    { verdict: { ...respond, body: new Uint8Array(1) } },
    "verdict.body",
    /text or a value that JSON can write/,
  ],
  [
    "a function for a body",
    { verdict: { ...respond, body: () => 1 } },
    "verdict.body",
    /JSON can write/,
  ],
  [
    "a body that JSON can't write",
    { verdict: { ...respond, body: { a: 1n } } },
    "verdict.body",
    /JSON can write/,
  ],
  [
    "a body too deep for JSON",
    { verdict: { ...respond, body: deep } },
    "verdict.body",
    /JSON can write/,
  ],
  ["half a character", { verdict: { ...respond, body: "\ud83d" } }, "verdict.body", /well-formed/],
  [
    "a body too long",
    { verdict: { ...respond, body: "x".repeat(1_048_577) } },
    "verdict.body",
    /at most 1048576 characters/,
  ],
  [
    "applied in words",
    { verdict: { ...respond, applied: "yes" } },
    "verdict.applied",
    /true or false/,
  ],

  [
    "two places to cut",
    { verdict: { kind: "truncate", atByte: 1, share: 0.5 } },
    "verdict",
    /either atByte or share/,
  ],
  ["no place to cut", { verdict: { kind: "truncate" } }, "verdict", /either atByte or share/],
  [
    "a cut before the beginning",
    { verdict: { kind: "truncate", atByte: -1 } },
    "verdict.atByte",
    /whole number from 0/,
  ],
  [
    "unknown garbage",
    { verdict: { kind: "garbage", as: "head" } },
    "verdict.as",
    /body or response/,
  ],
  ["no pace", { verdict: { kind: "drip" } }, "verdict.bytesPerSecond", /required/],
  [
    "a pace of 0",
    { verdict: { kind: "drip", bytesPerSecond: 0 } },
    "verdict.bytesPerSecond",
    /from 1 to/,
  ],
  [
    "an unknown answer",
    { verdict: { kind: "duplicate", answer: 2 } },
    "verdict.answer",
    /first or second/,
  ],
  ["overtaken by none", { verdict: { kind: "reorder", by: 0 } }, "verdict.by", /from 1 to 1000/],
  [
    "overtaken in a month",
    { verdict: { kind: "reorder", atMost: "30d" } },
    "verdict.atMost",
    /at most an hour/,
  ],
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

  test("a key in it is never repeated", () => {
    const key = "key_0123456789abc";
    const places = [
      { [key]: 1, verdict: drop },
      { id: key, verdict: drop },
      { verdict: { kind: key } },
      { verdict: { ...respond, headers: { [`${key} `]: "1" } } },
      { match: { operation: key }, verdict: drop },
      { match: { publisher: key }, verdict: drop },
    ];
    for (const rule of places) {
      const add = (): unknown => sim.faults.add(rule as unknown as FaultRule);
      expect(add).toThrow(InputError);
      expect(add).not.toThrow(key);
    }
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
  ])("%o names %s", (faults, field) => {
    const make = (): unknown => createSimulator({ faults: faults as FaultRule[] });
    expect(make).toThrow(InputError);
    expect(make).toThrow(expect.objectContaining({ field }));
  });
});

test("a thousand rules are the most, and the error says so", () => {
  const faults = Array.from({ length: 1000 }, () => ({ verdict: drop }) as FaultRule);
  const sim = createSimulator({ faults });
  const add = (): unknown => sim.faults.add({ verdict: { kind: "drop" } });
  expect(add).toThrow(expect.objectContaining({ reason: "conflict" }));
  expect(add).toThrow(/has 1000 rules, the most there can be/);
  sim.faults.remove("rule-5");
  add();
  expect(sim.faults.list().length).toBe(1000);
});
