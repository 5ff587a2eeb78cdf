/** The invariants hold wherever the service is right: under all pairs of choices, with fault rules and without. */

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import { coveringArray } from "../../src/index.ts";
import type { ClientExchange } from "../../src/laws/client-exchange.ts";
import { judge } from "../../src/laws/judge.ts";
import { createLawContext } from "../../src/laws/law.ts";
import { laws } from "../../src/laws/laws.ts";
import { createTrace, type Trace } from "../../src/laws/trace.ts";
import type { InvariantResult } from "../../src/play/player/result.ts";
import { someOf } from "../budget.ts";
import { lies } from "./lies.ts";
import { playSession, post } from "./session.ts";
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
  return results
    .filter(({ verdict }) => verdict === "broken")
    .map(({ id, why }) => `${id}: ${why}`);
}

describe("under every row of the covering array of pairs", () => {
  test.each(rows)("$index: no law is broken", ({ row, index }) => {
    const stage = stageOf({ assumptions: row });
    playSession(stage, index, 90);
    expect(broken(stage.check())).toEqual([]);
  });

  test.each(rows)("$index: no law is broken by fault rules", ({ row, index }) => {
    const stage = stageOf({ assumptions: row, faults: rules });
    playSession(stage, index, 80);
    expect(broken(stage.check())).toEqual([]);
  });
});

test("every id of the list has a law, in the same order", () => {
  const families = { M: 6, S: 8, D: 5, L: 8, A: 5, R: 8, H: 4 };
  const ids = Object.entries(families).flatMap(([family, count]) =>
    Array.from({ length: count }, (_, index) => `${family}${index + 1}`),
  );
  expect(laws.map(({ id }) => id)).toEqual(ids);
});

describe("a planted lie is detected", () => {
  test.each(lies)("$id: $what", ({ id, lie, ...options }) => {
    expect(honestly(options).find((result) => result.id === id)).toMatchObject({ verdict: "held" });
    const stage = stageOf({ ...options, lie: lie() });
    playSession(stage, 1, SHORT);
    const [result] = stage.check([id]);
    expect(result).toMatchObject({ id, verdict: "broken" });
    expect(result?.why?.length).toBeGreaterThan(10);
  });

  test("every law that doesn't need a second play has a lie", () => {
    const lied = new Set(lies.map(({ id }) => id));
    const judged = laws.filter(({ id }) => !secondPlay.includes(id)).map(({ id }) => id);
    expect(judged.filter((id) => !lied.has(id))).toEqual([]);
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
const secondPlay = ["S8", "A1", "R2", "R4", "R5", "R8"];

test("a service that throws breaks the law that was checking it", () => {
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
    verdict: "broken",
    why: expect.stringMatching(/^GET .* made the service throw RangeError: no such day$/),
  });
});

test("a law that needs a second play is unknown, and says so", () => {
  const stage = stageOf();
  playSession(stage, 1, SHORT);
  for (const { verdict, why } of stage.check(secondPlay)) {
    expect(verdict).toBe("unknown");
    expect(why).toMatch(/^needs /);
  }
});

test("what a law needs instead is said once, and only if nothing else is known of it", () => {
  const stage = stageOf();
  const whyOf = (id: string): string | undefined => stage.check([id])[0]?.why;
  expect(whyOf("R5")).toBe("needs a second play: adsim replay does it");
  expect(whyOf("R8")).toBe("needs several servers: the property tests do it");
  expect(whyOf("S8")).toBe("needs a second play in the other time zone: the property tests do it");
  expect(whyOf("M2")).toBe("nothing was recorded");
});

test("in a run without requests the laws about requests are unknown, with a reason", () => {
  const ofTheRun = ["M2", "M3", "L7", "H1", "H2", "H3"];
  for (const { id, verdict, why } of stageOf().check(ofTheRun))
    expect({ id, verdict, hasWhy: why !== undefined }).toEqual({
      id,
      verdict: "unknown",
      hasWhy: true,
    });
  const foreign = stageOf({ control: false });
  foreign.members.length = 0;
  expect(foreign.check().filter(({ verdict }) => verdict !== "unknown")).toEqual([]);
});

test("for a foreign service the run itself decides what it can, without further requests", () => {
  const stage = stageOf({ control: false });
  playSession(stage, 1);
  stage.sim.clock.advance("2m");
  const before = stage.sim.journal.total;
  const results = stage.check();
  expect(stage.sim.journal.total - before).toBe(0);
  const held = results.filter(({ verdict }) => verdict === "held").map(({ id }) => id);
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
    const verdict = lie.answer === undefined ? "held" : "broken";
    expect(stage.check([id])).toMatchObject([{ id, verdict }]);
  }
});

/** Changes the totals, which come before the rows. */
function rowsKept(text: string, change: (text: string) => string): string {
  const [totals = "", rows = ""] = text.split('"surfaces"');
  return `${change(totals)}"surfaces"${rows}`;
}

test("checking leaves the played world unchanged, and sends its copies at most 350 requests", () => {
  const stage = stageOf({ faults: rules });
  playSession(stage, 2);
  const state = JSON.stringify(stage.sim.snapshot());
  const { total } = stage.sim.journal;
  stage.check();
  expect(JSON.stringify(stage.sim.snapshot())).toBe(state);
  expect(stage.sim.journal.total).toBe(total);
  expect(stage.asideSent).toBeGreaterThan(100);
  expect(stage.asideSent).toBeLessThanOrEqual(350);
});

test("changing assumptions in the middle of a run breaks no law", () => {
  const stage = stageOf();
  playSession(stage, 3, SHORT);
  stage.assume({
    "ids.format": "uuid",
    "money.precision": "paise",
    "dedup.key": "session",
    "dedup.repeat": "replay",
    "limit.algorithm": "token-bucket",
    "payout.cycle": "weekly",
    "response.extra-fields": "present",
  });
  playSession(stage, 4, SHORT);
  stage.assume({ "money.precision": "exact", "dedup.repeat": "conflict", "click.repeat": "count" });
  playSession(stage, 5, SHORT);
  const results = stage.check();
  expect(broken(results)).toEqual([]);
  expect(results.find(({ id }) => id === "L3")?.why).not.toContain("over the limit");
});

test("a quota that may have been spent for another publisher isn't judged", () => {
  const stage = stageOf({ assumptions: { "auth.key-scope": "any" } });
  const [own, other] = stage.members;
  if (own === undefined || other === undefined) throw new Error("There are two publishers.");
  const values = { publisher_id: other.id, ad_id: "one" };
  const surface = other.surfaces[0]?.id ?? "";
  stage.send(post(stage, own.apiKey, "/v1/impression", { ...values, surface: "nowhere" }));
  stage.send(post(stage, other.apiKey, "/v1/impression", { ...values, surface }));
  expect(broken(stage.check())).toEqual([]);
});

test("once a key of unknown origin was used, quotas aren't judged any more", () => {
  const stage = stageOf();
  const [own] = stage.members;
  if (own === undefined) throw new Error("There is a publisher.");
  const values = { publisher_id: own.id, surface: own.surfaces[0]?.id ?? "", ad_id: "one" };
  stage.send(post(stage, own.apiKey, "/v1/impression", values));
  const { apiKey } = stage.sim.publishers.rotateKey(own.id);
  stage.send(post(stage, apiKey, "/v1/impression", values));
  stage.members[0] = stage.sim.publishers.get(own.id);
  stage.trace.recordMember(stage.members[0]);
  stage.send(post(stage, apiKey, "/v1/impression", values));
  expect(broken(stage.check())).toEqual([]);
});

test("while time flows, laws about exact instants are tried only on a scratch copy", () => {
  const stage = stageOf({ isExactTime: false });
  playSession(stage, 1, SHORT);
  const results = stage.check();
  expect(broken(results)).toEqual([]);
  const [L1, D1] = ["L1", "D1"].map((id) => results.find((one) => one.id === id));
  expect(L1?.why).toBe("64 requests with one key, in a copy of the world");
  expect(D1?.why).toBe("an impression sent three times, in a copy of the world");
});

test("only the requested laws are checked, in the order of the list", () => {
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
    request: { method: "GET", path: "/v1/publisher/surfaces" },
    outcome: "answered",
    status: 200,
    headers: { "x-ratelimit-remaining": "59" },
    text: '{"surfaces":[]}',
    latencyMs: 0,
  };
  const judged = (trace: Trace, id: string): string | undefined => {
    const law = laws.find((one) => one.id === id);
    const played = {
      trace,
      isExactTime: true,
      members: [],
      readings: {},
      world: "there is none",
      rerunPlan: "there is none",
      journal: () => [],
      sampleSize: 1,
    };
    return law && judge(law, createLawContext(played)).verdict;
  };

  test("is kept from its start up to a limit, and counted to its end", () => {
    const trace = createTrace();
    for (let sent = 0; sent < 30_100; sent += 1) trace.observe(exchange);
    expect(trace.total).toBe(30_100);
    expect(trace.kept.length).toBe(30_000);
    expect([judged(trace, "L7"), judged(trace, "H2")]).toEqual(["held", "held"]);
    trace.observe({ ...exchange, status: 500 });
    trace.observe({ ...exchange, headers: {} });
    expect([judged(trace, "L7"), judged(trace, "H2")]).toEqual(["broken", "broken"]);
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
