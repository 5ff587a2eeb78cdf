/** The invariants hold wherever the service is right: under all pairs of choices, with fault rules and without. */

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import { coveringArray } from "../../src/index.ts";
import type { ClientExchange } from "../../src/invariants/client-exchange.ts";
import { invariants } from "../../src/invariants/invariants.ts";
import { type InvariantResult, judgeInvariants } from "../../src/invariants/judge.ts";
import { createTrace, type Trace } from "../../src/invariants/trace.ts";
import { resolveAssumptions } from "../../src/spec/assumptions/resolve.ts";
import { someOf } from "../budget.ts";
import { lies } from "./lies.ts";
import { get, playSession } from "./session.ts";
import { type Lie, type StageOptions, stageOf } from "./stage.ts";

const rows = someOf(coveringArray({ strength: 2 }).map((row, index) => ({ row, index })));

const rules: readonly FaultRule[] = [
  { id: "busy", match: { every: 11 }, verdict: { kind: "respond", status: 500, body: "busy" } },
  {
    id: "wrong",
    match: { every: 13 },
    verdict: { kind: "respond", status: 200, body: { ok: 1e-9 } },
  },
  { id: "twice", match: { every: 7 }, verdict: { kind: "duplicate", answer: "second" } },
  { id: "gone", match: { every: 9 }, verdict: { kind: "lose-response" } },
  { id: "cut", match: { every: 17 }, verdict: { kind: "truncate", share: 0.5 } },
  { id: "never", match: { every: 19 }, verdict: { kind: "drop" } },
  { id: "noise", match: { every: 23 }, verdict: { kind: "garbage" } },
];

function broken(results: ReturnType<ReturnType<typeof stageOf>["check"]>): string[] {
  return results.filter(({ result }) => result === "failed").map(({ id, why }) => `${id}: ${why}`);
}

describe("under every row of the covering array of pairs", () => {
  test.each(rows)("$index: no invariant is broken", ({ row, index }) => {
    const stage = stageOf({ assumptions: row });
    playSession(stage, index, 90);
    expect(broken(stage.check())).toEqual([]);
  });

  test.each(rows)("$index: no invariant is broken by fault rules", ({ row, index }) => {
    const stage = stageOf({ assumptions: row, faults: rules });
    playSession(stage, index, 80);
    expect(broken(stage.check())).toEqual([]);
  });
});

test("there are sixteen invariants, in the order of the documentation", () => {
  expect(invariants.map(({ id }) => id).join(" ")).toBe(
    "M1 M2 M3 M4 S1 S2 S3 S4 D2 D3 D4 L4 L7 A4 R2 H1",
  );
});

describe("a planted lie is detected", () => {
  test.each(lies)("$id: $what", ({ id, lie, ...options }) => {
    expect(honestly(options).find((result) => result.id === id)).toMatchObject({
      result: "passed",
    });
    const stage = stageOf({ ...options, lie: lie() });
    playSession(stage, 1, SHORT);
    const [result] = stage.check([id]);
    expect(result).toMatchObject({ id, result: "failed" });
    expect(result?.why?.length).toBeGreaterThan(10);
  });

  test("every invariant has a lie", () => {
    const lied = new Set(lies.map(({ id }) => id));
    expect(invariants.map(({ id }) => id).filter((id) => !lied.has(id))).toEqual([]);
  });
});

const played = new Map<string, readonly InvariantResult[]>();

/** The results for the same session without the lie. */
function honestly(options: StageOptions): readonly InvariantResult[] {
  const key = JSON.stringify(options);
  const known = played.get(key);
  if (known !== undefined) return known;
  const stage = stageOf(options);
  playSession(stage, 1, SHORT);
  const results = stage.check();
  played.set(key, results);
  return results;
}

/** Enough for a repeat, a click, and an unknown key. */
const SHORT = 60;

test("a service that throws breaks the invariant that was checking it", () => {
  const lie: Lie = {
    answer(exchange, isAside) {
      if (isAside) throw new RangeError("no such day");
      return exchange;
    },
  };
  const stage = stageOf({ lie });
  playSession(stage, 1, SHORT);
  const [result] = stage.check(["S2"]);
  expect(result).toMatchObject({
    result: "failed",
    why: expect.stringMatching(/^GET .* made the service throw RangeError: no such day$/),
  });
});

test("in a run without requests the invariants about requests are unknown, with a reason", () => {
  const ofTheRun = ["M3", "L7", "H1"];
  for (const { id, result, why } of stageOf().check(ofTheRun))
    expect({ id, result, hasWhy: why !== undefined }).toEqual({
      id,
      result: "undecided",
      hasWhy: true,
    });
  const foreign = stageOf({ control: false });
  foreign.members.length = 0;
  expect(foreign.check().filter(({ result }) => result !== "undecided")).toEqual([]);
});

test("for a foreign service the run itself decides what it can, without further requests", () => {
  const stage = stageOf({ control: false });
  playSession(stage, 1);
  stage.sim.clock.advance("2m");
  const before = stage.sim.journal.total;
  const results = stage.check();
  expect(stage.sim.journal.total - before).toBe(0);
  const held = results.filter(({ result }) => result === "passed").map(({ id }) => id);
  expect(held).toEqual(["M3", "M4", "S2", "S4", "D3", "D4", "L7", "H1"]);
  expect(broken(results)).toEqual([]);
});

test.each([
  ["S2", {}, (text: string) => text.replace(/(?<="revenue_inr":)[0-9.]+/, "1")],
  ["S3", { surface: "first" }, (text: string) => text.replaceAll(/(?<="impressions":)\d+/g, "7$&")],
  ["S4", {}, (text: string) => text.replace(/(?<="from":")[0-9-]+/, "2025-12-17")],
])("%s is noticed from the answers of a foreign service", (id, query, change) => {
  const wrong = (exchange: ClientExchange): ClientExchange =>
    id === "S3" && !JSON.stringify(exchange.request.query).includes("surface")
      ? exchange
      : {
          ...exchange,
          text: id === "S3" ? rowsKept(exchange.text, change) : change(exchange.text),
        };
  for (const lie of [{}, { answer: wrong }]) {
    const stage = stageOf({ control: false, lie });
    const [member] = stage.members;
    const surface = member?.surfaces[0]?.id ?? "";
    stage.send({
      method: "GET",
      path: "/v1/publisher/stats",
      query: { publisher_id: member?.id ?? "", ...("surface" in query && { surface }) },
      headers: { authorization: `Bearer ${member?.apiKey}` },
    });
    const result = lie.answer === undefined ? "passed" : "failed";
    expect(stage.check([id])).toMatchObject([{ id, result }]);
  }
});

test("a foreign service may fail, but not because of a client's mistake", () => {
  for (const [query, result] of [
    [{}, "failed"],
    [{ publisher_id: "pub_1" }, "passed"],
  ] as const) {
    const failing = (exchange: ClientExchange): ClientExchange =>
      exchange.request.path === "/v1/publisher/payouts"
        ? { ...exchange, status: 500, text: "" }
        : exchange;
    const stage = stageOf({ control: false, lie: { answer: failing } });
    const [member] = stage.members;
    const apiKey = member?.apiKey ?? "";
    stage.send(get(apiKey, "surfaces", { publisher_id: member?.id ?? "" }));
    stage.send(get(apiKey, "payouts", query));
    expect(stage.check(["H1"])).toMatchObject([{ id: "H1", result }]);
  }
});

/** Changes the totals, which come before the rows. */
function rowsKept(text: string, change: (text: string) => string): string {
  const [totals = "", rows = ""] = text.split('"surfaces"');
  return `${change(totals)}"surfaces"${rows}`;
}

test("checking leaves the played world unchanged, and sends its copies at most 250 requests", () => {
  const stage = stageOf({ faults: rules });
  playSession(stage, 2);
  const state = JSON.stringify(stage.sim.snapshot());
  const { total } = stage.sim.journal;
  stage.check();
  expect(JSON.stringify(stage.sim.snapshot())).toBe(state);
  expect(stage.sim.journal.total).toBe(total);
  expect(stage.asideSent).toBeGreaterThan(100);
  expect(stage.asideSent).toBeLessThanOrEqual(250);
});

test("changing assumptions in the middle of a run breaks no invariant", () => {
  const stage = stageOf();
  playSession(stage, 3, SHORT);
  stage.assume({
    "ids.format": "uuid",
    "money.precision": "paise",
    "dedup.key": "session",
    "dedup.repeat": "replay",
    "limit.algorithm": "token-bucket",
    "response.form": "evolved",
  });
  playSession(stage, 4, SHORT);
  stage.assume({ "money.precision": "exact", "dedup.repeat": "conflict", "click.repeat": "count" });
  playSession(stage, 5, SHORT);
  expect(broken(stage.check())).toEqual([]);
});

test("only the requested invariants are checked, in the order of the list", () => {
  expect(
    stageOf()
      .check(["S4", "M1", "none"])
      .map(({ id }) => id),
  ).toEqual(["M1", "S4"]);
});

test("results contain no key and no UPI id", () => {
  const stage = stageOf({
    lie: { answer: (exchange) => ({ ...exchange, text: JSON.stringify(exchange) }) },
  });
  playSession(stage, 1, SHORT);
  const shown = JSON.stringify(stage.check());
  for (const { apiKey, upiId } of stage.sim.publishers.list({ limit: 100 })) {
    expect(shown).not.toContain(apiKey);
    expect(shown).not.toContain(upiId);
  }
});

describe("a long run", () => {
  const exchange: ClientExchange = {
    operation: "surfaces",
    atMs: 0,
    request: { method: "GET", path: "/v1/publisher/surfaces", query: { publisher_id: "pub" } },
    outcome: "answered",
    status: 200,
    headers: { "x-ratelimit-remaining": "59" },
    text: '{"surfaces":[]}',
    latencyMs: 0,
  };
  const judged = (trace: Trace): (string | undefined)[] => {
    const assumptions = resolveAssumptions({});
    const world = "there is none";
    const played = { trace, isExactTime: true, members: [], assumptions, world };
    return [...judgeInvariants(played, ["L7", "H1"])].map(({ result }) => result);
  };

  test("is kept from its start up to a limit, and counted to its end", () => {
    const trace = createTrace();
    for (let sent = 0; sent < 30_100; sent += 1) trace.observe(exchange);
    expect(trace.total).toBe(30_100);
    expect(trace.kept.length).toBe(30_000);
    expect(judged(trace)).toEqual(["passed", "passed"]);
    trace.observe({ ...exchange, status: 500 });
    trace.observe({ ...exchange, headers: {} });
    expect(judged(trace)).toEqual(["failed", "failed"]);
  });

  const megabyte = "x".repeat(1024 * 1024);
  test.each<[string, Partial<ClientExchange>]>([
    ["answers", { text: megabyte }],
    ["bodies", { request: { ...exchange.request, body: megabyte } }],
    ["queries", { request: { ...exchange.request, query: megabyte } }],
  ])("is kept for fewer requests if %s are long, without a gap", (_, long) => {
    const trace = createTrace();
    for (let sent = 0; sent < 40; sent += 1) trace.observe({ ...exchange, ...long });
    trace.observe(exchange);
    expect(trace.kept.length).toBe(15);
    expect(trace.total).toBe(41);
  });
});
