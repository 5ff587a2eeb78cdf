/** An invalid rule is refused: the error names the field and what is expected there, and nothing changes. */

import { describe, expect, test } from "vitest";
import { createSimulator, type FaultRule, InputError } from "../../src/index.ts";

const drop = { kind: "drop" };
let deep: unknown = 1;
for (let level = 0; level < 100_000; level += 1) deep = [deep];

type Wrong = readonly [given: unknown, field: string, told: RegExp];

const wrongRules: readonly Wrong[] = [
  ["drop", "rule", /must be an object such as/],
  [null, "rule", /must be an object such as/],
  [[{ verdict: drop }], "rule", /must be an object, not a list/],
  [new Map([["verdict", drop]]), "rule", /must be an object such as/],
  [{}, "verdict", /is required/],
  [{ verdict: drop, when: 1 }, "when", /is not known here\. Known: id, match, verdict and ttl/],
  [JSON.parse('{"__proto__":1,"verdict":{"kind":"drop"}}'), "__proto__", /not known/],
  [{ verdict: drop, constructor: 1 }, "constructor", /is not known here/],
  [{ id: 1, verdict: drop }, "id", /must be a string/],
  [{ id: "taken", verdict: drop }, "id", /already the id of a rule.*choose another id/],
  ...["", "x".repeat(65), "a/b", "..", "any", "none"].map(
    (id): Wrong => [{ id, verdict: drop }, "id", /1 to 64 letters, .* not only dots, "any" or/],
  ),
  [{ ttl: 0, verdict: drop }, "ttl", /must be longer than 0/],
  [{ ttl: -1, verdict: drop }, "ttl", /whole milliseconds/],
  [{ ttl: Number.POSITIVE_INFINITY, verdict: drop }, "ttl", /whole milliseconds/],
  [{ ttl: "an hour", verdict: drop }, "ttl", /"90s"/],
];

/** As `match`. */
const wrongMatches: readonly Wrong[] = [
  [[], "", /must be an object/],
  [new Map([["nth", 1]]), "", /must be an object/],
  [{ ntth: 1 }, "ntth", /not known here\. Did you mean "nth"\?/],
  [{ operation: "clik" }, "operation", /one of stats, impression, click, surfaces, payouts/],
  [{ operation: ["click", "clik"] }, "operation.1", /one of stats/],
  [{ operation: [] }, "operation", /must not be an empty list/],
  [{ publisher: "key_0000000000000" }, "publisher", /an id, not an API key/],
  [{ publisher: "" }, "publisher", /must not be empty/],
  [{ surface: [1] }, "surface.0", /must be a string/],
  [{ from: "tomorrow" }, "from", /ISO 8601/],
  [{ until: 5 }, "until", /ISO 8601/],
  [{ from: "2026-01-02", until: "2026-01-02" }, "", /from before until/],
  [{ repeat: { for: 0, every: 2 } }, "repeat", /longer than 0 and shorter than every/],
  [{ repeat: { for: "1m", every: "60s" } }, "repeat", /shorter than every/],
  [{ repeat: { for: 1 } }, "repeat.every", /required/],
  [{ nth: 0 }, "nth", /whole number, 1 or more/],
  [{ nth: [1, Number.NaN] }, "nth.1", /whole number, 1 or more/],
  [{ every: 1.5 }, "every", /whole number, 1 or more/],
  [{ times: Number.POSITIVE_INFINITY }, "times", /whole number/],
  [{ share: 1.1 }, "share", /from 0 to 1/],
  [{ share: "5%" }, "share", /a number from 0 to 1/],
  [{ per: "key" }, "per", /one of publisher, world/],
];

/** As `verdict`. */
const wrongVerdicts: readonly Wrong[] = [
  ["drop", "", /must be an object, not "drop"/],
  [{}, "kind", /one of "delay", "respond", "drop"/],
  [{ kind: "dorp" }, "kind", /"reorder", not "dorp"/],
  [{ ...drop, status: 500 }, "status", /not known here/],
  [{ ...drop, as: "rst" }, "as", /one of close, reset, silence/],
  [{ kind: "delay" }, "delay", /is required/],
  [{ kind: "delay", delay: "61m" }, "delay", /at most an hour/],
  [{ kind: "delay", delay: [] }, "delay.from", /required/],
  [{ ...drop, delay: { from: 2, to: 1 } }, "delay", /not have from above to/],
  [{ ...drop, delay: { from: 2, to: "1d" } }, "delay.to", /at most an hour/],
  [{ ...drop, delay: { from: 0, to: 1, shape: "long-tailed" } }, "delay", /from above 0/],
  [{ ...drop, delay: { from: 0, to: 1, shape: "normal" } }, "delay.shape", /uniform or long-/],
  [{ kind: "truncate", atByte: 1, share: 0.5 }, "", /either atByte or share/],
  [{ kind: "truncate" }, "", /either atByte or share/],
  [{ kind: "truncate", atByte: -1 }, "atByte", /whole number from 0/],
  [{ kind: "garbage", as: "head" }, "as", /one of body, response/],
  [{ kind: "wrong-body", wrong: "x" }, "wrong", /one of ok-false, missing-ok/],
  [{ kind: "wrong-body", wrong: "ok-false", applied: 1 }, "applied", /true or false/],
  [{ kind: "drip" }, "bytesPerSecond", /required/],
  [{ kind: "drip", bytesPerSecond: 0 }, "bytesPerSecond", /from 0.001 to/],
  [{ kind: "duplicate", answer: 2 }, "answer", /one of first, second/],
  [{ kind: "reorder", by: 0 }, "by", /from 1 to 1000/],
  [{ kind: "reorder", atMost: "30d" }, "atMost", /at most an hour/],
];

/** As members of a verdict `respond`. */
const wrongResponses: readonly Wrong[] = [
  [{ status: 100 }, "status", /from 200 to 599/],
  [{ status: "503" }, "status", /from 200 to 599/],
  [{ status: 204, body: "" }, "", /no body with status 204, 205 or 304/],
  [{ headers: [] }, "headers", /by header name/],
  [{ headers: new Headers({ a: "b" }) }, "headers", /by header name/],
  [{ headers: { "Content-Length": "1" } }, "headers.Content-Length", /the transport sets it/],
  [{ headers: { "a b": "1" } }, "headers.a b", /not a valid header name/],
  [{ headers: { "": "1" } }, "headers.", /not a valid header name/],
  [{ headers: { "Retry-After": 5 } }, "headers.Retry-After", /must be a string/],
  // `new Headers` takes the first two; Node doesn't send them.
  ...["b\n", "b\u0001", "1\r\nb: 2", "☃"].map(
    (value): Wrong => [{ headers: { a: value } }, "headers.a", /can't be sent/],
  ),
  [{ body: new Uint8Array(1) }, "body", /text or a value that JSON can write/],
  [{ body: () => 1 }, "body", /JSON can write/],
  [{ body: { a: 1n } }, "body", /JSON can write/],
  [{ body: deep }, "body", /JSON can write/],
  [{ applied: "yes" }, "applied", /true or false/],
];

/** The mistakes as whole rules, each with the field's whole name. */
function inRules(wrong: readonly Wrong[], name: string, rule: (given: unknown) => unknown) {
  return wrong.map(([given, field, told]): Wrong => {
    return [rule(given), field === "" ? name : `${name}.${field}`, told];
  });
}

const respond = (given: unknown) => ({ kind: "respond", status: 500, ...(given as object) });

describe("a rule is refused, and the error says where and why:", () => {
  const sim = createSimulator({ faults: [{ id: "taken", verdict: { kind: "drop" } }] });
  const before = sim.snapshot();

  test.each(
    [
      ...wrongRules,
      ...inRules(wrongMatches, "match", (match) => ({ match, verdict: drop })),
      ...inRules(wrongVerdicts, "verdict", (verdict) => ({ verdict })),
      ...inRules(wrongResponses, "verdict", (given) => ({ verdict: respond(given) })),
    ].map(([rule, field, told]) => [field, told, rule] as const),
  )("%s %s", (field, told, rule) => {
    let error: unknown;
    try {
      sim.faults.add(rule as FaultRule);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InputError);
    const { message, reason } = error as InputError;
    expect(error).toHaveProperty("field", field);
    expect(message).toMatch(told);
    expect(message.startsWith(`${field} `)).toBe(true);
    expect(reason).toBe(/already/.test(message) ? "conflict" : "invalid");
    expect(sim.snapshot()).toEqual(before);
  });
});

const valid = { id: "a", verdict: drop };

test.each<[faults: unknown, field: string]>([
  [{}, "faults"],
  ["faults.json", "faults"],
  [["drop"], "faults.0"],
  [[valid, { verdict: { kind: "dorp" } }], "faults.1.verdict.kind"],
  [[valid, valid], "faults.1.id"],
  [[{ match: { nth: 0 }, verdict: drop }], "faults.0.match.nth"],
  [Array.from({ length: 1001 }, () => ({ verdict: drop })), "faults"],
])("the option faults refuses %o, and the error names %s", (faults, field) => {
  const make = (): unknown => createSimulator({ faults: faults as FaultRule[] });
  expect(make).toThrow(expect.objectContaining({ name: "InputError", field }));
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
