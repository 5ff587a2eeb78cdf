import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../../src/faults/rule.ts";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { type ClientExchange, exchangeOf } from "../../../src/invariants/client-exchange.ts";
import { createTally } from "../../../src/play/measure/tally.ts";
import { createTurns } from "../../../src/play/targets/turns.ts";
import { worldTarget } from "../../../src/play/targets/world-target.ts";
import type { TrafficOrder } from "../../../src/play/traffic/order.ts";
import type { Traffic } from "../../../src/play/traffic/traffic.ts";
import { orderOf } from "./orders.ts";

type Verdict = FaultRule["verdict"];

function createWorld(): Simulator {
  return createSimulator({ seed: "traffic", publishers: 2 });
}

async function run(sim: Simulator, traffic: Traffic, number = 0) {
  const exchanges: ClientExchange[] = [];
  const tally = createTally();
  const members = sim.publishers.credentials(2).map((one) => ({ ...one, joined: undefined }));
  const order = orderOf(traffic, {
    members,
    number,
    startMs: sim.clock.now(),
    observe(exchange) {
      exchanges.push(exchange);
      tally.count(exchange);
    },
  });
  const punctuality = await trafficAt(sim, order);
  return { exchanges, punctuality, summary: tally.summary() };
}

function trafficAt(sim: Simulator, order: TrafficOrder) {
  return worldTarget(
    sim,
    createTurns(() => undefined),
  ).traffic(order);
}

const steady = { for: "100s", arrivals: { kind: "constant", rate: "100/s" } } as const;

describe("in process", () => {
  test("every request is sent at its instant, and the clock stops at the traffic's end", async () => {
    const sim = createWorld();
    const beginMs = sim.clock.now();
    const { exchanges, punctuality, summary } = await run(sim, { ...steady, for: "10s" });
    expect(exchanges.map(({ atMs }) => atMs - beginMs)).toEqual(
      Array.from({ length: 1000 }, (_, k) => 10 * k),
    );
    expect(sim.clock.now()).toBe(beginMs + 10_000);
    expect(punctuality).toEqual({ late: 0, dropped: 0 });
    expect(summary).toMatchObject({ sent: 1000, ok: 1000, differentIds: 1000 });
    expect(new Set(exchanges.map(({ request }) => request)).size).toBe(1000);
  });

  test("a click after the end is sent, and the clock stops there", async () => {
    const sim = createWorld();
    const beginMs = sim.clock.now();
    const clicks = { rate: 1, after: "1m" };
    const { summary } = await run(sim, { ...steady, for: "1s", clicks });
    expect(summary.operations).toEqual({
      impression: { sent: 100, ok: 100 },
      click: { sent: 100, ok: 100 },
    });
    expect(sim.clock.now()).toBe(beginMs + 990 + 60_000);
  });

  test("the service counts the given share of impressions as duplicates", async () => {
    const sim = createWorld();
    const { summary } = await run(sim, { ...steady, repeatedSessions: 0.25 });
    const { impressions } = sim.usage();
    expect(summary.ok).toBe(10_000);
    expect(Math.abs(1 - impressions / summary.sent - 0.25)).toBeLessThan(0.02);
    await run(sim, steady, 1);
    expect(sim.usage().impressions).toBe(impressions + 10_000);
  });

  test("without sessions nothing is a duplicate", async () => {
    const sim = createWorld();
    await run(sim, { ...steady, sessions: false });
    expect(sim.usage().impressions).toBe(10_000);
  });

  test("every operation of a mix is answered, as far as the limits go", async () => {
    const mix = { impression: 970, stats: 10, surfaces: 10, payouts: 10 };
    const { summary } = await run(createWorld(), { ...steady, mix });
    const { statuses, operations } = summary;
    expect(Object.keys(statuses).every((status) => status === "200" || status === "429")).toBe(
      true,
    );
    for (const { ok } of Object.values(operations)) expect(ok).toBeGreaterThan(50);
  });

  test("refused traffic sends nothing and doesn't move the clock", async () => {
    const sim = createWorld();
    const beginMs = sim.clock.now();
    const order = orderOf(steady, { members: [], startMs: beginMs });
    await expect(trafficAt(sim, order)).rejects.toThrow(/^publishers must name at least one/);
    expect([sim.clock.now(), sim.usage().impressions]).toEqual([beginMs, 0]);
  });
});

describe("what a client sees", () => {
  function seen(verdict: Verdict, timeoutMs = 10_000) {
    const sim = createWorld();
    sim.faults.add({ verdict });
    const [publisher] = sim.publishers.credentials(1);
    const request = {
      method: "POST",
      path: "/v1/impression",
      headers: { authorization: `Bearer ${publisher?.apiKey}` },
      body: { publisher_id: publisher?.id, surface: publisher?.surfaces[0]?.id, ad_id: "ad-1" },
    };
    const response = sim.handle(request);
    const exchange = exchangeOf({ operation: "impression", request, timeoutMs }, response, 5);
    expect(exchange).toMatchObject({ operation: "impression", atMs: 5, request });
    const [entry] = sim.journal.entries({ limit: 1 });
    return { ...exchange, length: response.body.length, received: entry?.fault?.received };
  }
  const nothing = { status: 0, headers: {}, text: "" };

  test.each<[Verdict, object]>([
    [
      { kind: "delay", delay: 60 },
      { outcome: "answered", status: 200, latencyMs: 60, received: "whole" },
    ],
    [
      { kind: "delay", delay: 10_000 },
      { outcome: "answered", status: 200, latencyMs: 10_000 },
    ],
    [
      { kind: "delay", delay: 10_001 },
      { outcome: "timed-out", ...nothing, latencyMs: 10_000, received: "nothing" },
    ],
    [
      { kind: "respond", status: 503, body: "busy" },
      { outcome: "answered", status: 503, text: "busy" },
    ],
    [
      { kind: "drop", as: "close" },
      { outcome: "lost", ...nothing, latencyMs: 0 },
    ],
    [
      { kind: "lose-response", as: "reset" },
      { outcome: "lost", ...nothing },
    ],
    [{ kind: "timeout" }, { outcome: "timed-out", ...nothing, latencyMs: 10_000 }],
    [
      { kind: "empty", delay: 700 },
      { outcome: "lost", ...nothing, latencyMs: 700 },
    ],
    [
      { kind: "truncate", atByte: 5 },
      { outcome: "cut", status: 200, text: '{"ok"' },
    ],
    [
      { kind: "garbage", as: "response" },
      { outcome: "lost", ...nothing },
    ],
    [
      { kind: "garbage" },
      { outcome: "answered", status: 200, text: expect.stringMatching(/^\uFFFD/) },
    ],
    [
      { kind: "reorder", atMost: "2s" },
      { outcome: "answered", status: 200, latencyMs: 2000, received: "whole" },
    ],
    [
      { kind: "reorder", atMost: "11s" },
      { outcome: "timed-out", ...nothing, received: "nothing" },
    ],
    [
      { kind: "drip", bytesPerSecond: 1 },
      { outcome: "timed-out", ...nothing, received: "nothing" },
    ],
  ])("of %o", async (verdict, expected) => {
    expect(seen(verdict)).toMatchObject(expected);
  });

  test("a body that drips is held back until its last byte", async () => {
    const { outcome, length, latencyMs } = seen({ kind: "drip", bytesPerSecond: 100 });
    expect(outcome).toBe("answered");
    expect(latencyMs).toBe(length * 10);
  });

  test("depends on the client's own timeout", async () => {
    expect(seen({ kind: "delay", delay: 60 }, 59).outcome).toBe("timed-out");
    expect(seen({ kind: "timeout" }, 59).latencyMs).toBe(59);
  });

  test("traffic gives up after its timeout", async () => {
    const sim = createWorld();
    sim.faults.add({ match: { every: 4 }, verdict: { kind: "delay", delay: "3s" } });
    const { summary } = await run(sim, {
      ...steady,
      for: "10s",
      timeout: "2s",
      clicks: { rate: 1 },
    });
    const { impression, click } = summary.operations;
    expect(impression?.sent).toBe(1000);
    expect(click?.sent).toBe(impression?.ok);
    expect(summary.timedOut).toBeGreaterThan(400);
    expect(summary.timedOut).toBe(summary.sent - summary.ok);
  });
});
