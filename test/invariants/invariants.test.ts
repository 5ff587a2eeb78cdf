/** Each invariant notices what it forbids, and none alarms where the service is right. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Choices } from "../../src/index.ts";
import { type ClientExchange, Trace } from "../../src/invariants/client-exchange.ts";
import { type InvariantResult, invariants } from "../../src/invariants/invariants.ts";
import { arbitraryAssumptions, checkInvariants } from "../../src/testing.ts";
import { runsOf } from "../budget.ts";
import { playIn } from "../choices/same-play.ts";
import { lies } from "./lies.ts";
import { playSession, type StageOptions, stageOf } from "./stage.ts";

function judged(options: StageOptions, ids?: readonly string[]): readonly InvariantResult[] {
  const stage = stageOf(options);
  playSession(stage);
  return stage.check(ids);
}

const passedOf = (results: readonly InvariantResult[]): string[] =>
  results.filter(({ result }) => result === "passed").map(({ id }) => id);
const failedOf = (results: readonly InvariantResult[]): string[] =>
  results.filter(({ result }) => result === "failed").map(({ id, why }) => `${id}: ${why}`);

const all = "M1 M2 M3 M4 S1 S2 S3 S4 D2 D3 D4 L4 L7 A4 R2 H1";
const foreign = "M3 M4 S2 S3 S4 D3 D4 L7 H1";
const hidden: Choices = { "auth.key-scope": "publisher-hidden" };

test("all sixteen pass in a session at a world that is right, nine of them at another service", () => {
  expect(passedOf(judged({ assumptions: hidden })).join(" ")).toBe(all);
  const stage = stageOf({ isForeign: true });
  playSession(stage);
  stage.sim.clock.advance("2m");
  const { total } = stage.sim.journal;
  const results = stage.check();
  expect(passedOf(results).join(" ")).toBe(foreign);
  expect(failedOf(results)).toEqual([]);
  expect(stage.sim.journal.total).toBe(total);
});

test("every invariant has a lie", () => {
  expect([...new Set(lies.map(({ id }) => id))].join(" ")).toBe(all);
  const seen = lies.filter(({ isSeen }) => isSeen).map(({ id }) => id);
  expect([...new Set(seen)].join(" ")).toBe(foreign);
});

test.each(lies)("$id notices that $what", ({ id, lie, assumptions = {}, isSeen = false }) => {
  expect(judged({ lie, assumptions }, [id])).toMatchObject([{ id, result: "failed" }]);
  const [result] = judged({ lie, assumptions, isForeign: true }, [id]);
  if (isSeen) expect(result).toMatchObject({ id, result: "failed", why: expect.any(String) });
});

test("none alarms at a simulator, whatever its choices, its faults and what is done to it", () => {
  const property = fc.property(arbitraryAssumptions(), fc.gen(), (assumptions, generate) => {
    const { sim } = playIn({ publishers: 3, assumptions }, generate);
    const { total } = sim.journal;
    expect(failedOf(checkInvariants(sim))).toEqual([]);
    expect(sim.journal.total).toBe(total);
  });
  fc.assert(property, { numRuns: runsOf(150) });
});

test("nor at another service with other choices", () => {
  const property = fc.property(arbitraryAssumptions(), (assumptions) => {
    expect(failedOf(judged({ assumptions, isForeign: true }))).toEqual([]);
  });
  fc.assert(property, { numRuns: runsOf(200) });
});

test.each([
  [{}, "failed"],
  [{ publisher_id: "pub_1" }, "passed"],
])("another service may fail, but not because of a mistake: %j", (query, result) => {
  const stage = stageOf({
    isForeign: true,
    lie: { answer: ({ request }) => (request.path.endsWith("payouts") ? { status: 500 } : {}) },
  });
  const { id, apiKey } = stage.sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const request = { method: "GET", headers };
  stage.handle({ ...request, path: "/v1/publisher/surfaces", query: { publisher_id: id } });
  stage.handle({ ...request, path: "/v1/publisher/payouts", query });
  expect(stage.check(["H1"])).toMatchObject([{ id: "H1", result }]);
});

test("without answers all invariants are undecided at another service, and say why", () => {
  for (const { result, why } of stageOf({ isForeign: true }).check())
    expect([result, why]).toEqual(["undecided", expect.stringMatching(/./)]);
});

test("a service that throws fails the invariant that asked it", () => {
  const lie = {
    answer: () => {
      throw new RangeError("no such day");
    },
  };
  expect(stageOf({ lie }).check(["S2"])).toMatchObject([
    { id: "S2", result: "failed", why: expect.stringContaining("RangeError: no such day") },
  ]);
});

test("only the requested invariants are checked, in the order of the list, and nothing changes", () => {
  const stage = stageOf({});
  playSession(stage);
  const state = JSON.stringify(stage.sim.snapshot());
  expect(stage.check(["S4", "M1", "none"]).map(({ id }) => id)).toEqual(["M1", "S4"]);
  expect(stage.check()).toHaveLength(invariants.length);
  expect(JSON.stringify(stage.sim.snapshot())).toBe(state);
});

describe("of a long run", () => {
  const exchange: ClientExchange = {
    ...{ operation: undefined, atMs: 0, outcome: "answered", latencyMs: 0 },
    request: { method: "GET", path: "/v1/publisher/surfaces" },
    ...{ status: 200, headers: {}, text: "{}" },
  };
  const megabyte = "x".repeat(1024 * 1024);
  test.each<[string, number, Partial<ClientExchange>]>([
    ["short requests", 30_000, {}],
    ["long answers", 15, { text: megabyte }],
    ["long bodies", 15, { request: { ...exchange.request, body: megabyte } }],
    ["long queries", 15, { request: { ...exchange.request, query: megabyte } }],
  ])("with %s the first %i are kept, without a gap", (_, kept, long) => {
    const trace = new Trace();
    for (let sent = 0; sent < kept + 5; sent += 1) trace.observe({ ...exchange, ...long });
    trace.observe(exchange);
    expect(trace.kept.length).toBe(kept);
    expect(trace.total).toBe(kept + 6);
  });
});
