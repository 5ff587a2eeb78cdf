import { expect, test } from "vitest";
import type { FaultRule } from "../../../src/faults/rule.ts";
import { createSimulator } from "../../../src/index.ts";
import { type ClientExchange, exchangeOf } from "../../../src/invariants/client-exchange.ts";
import { createTally } from "../../../src/play/measure/tally.ts";
import { createTurns } from "../../../src/play/targets/turns.ts";
import { worldTarget } from "../../../src/play/targets/world-target.ts";
import type { Traffic } from "../../../src/play/traffic/traffic.ts";
import { orderOf } from "./orders.ts";

type Verdict = FaultRule["verdict"];

/** Plays traffic in a world of its own. */
async function run(traffic: Traffic, verdict?: Verdict) {
  const sim = createSimulator({ seed: "traffic", publishers: 2 });
  if (verdict !== undefined) sim.faults.add({ match: { every: 4 }, verdict });
  const beginMs = sim.clock.now();
  const exchanges: ClientExchange[] = [];
  const tally = createTally();
  const members = sim.publishers.credentials(2).map((one) => ({ ...one, joined: undefined }));
  const order = orderOf(traffic, {
    ...{ members, startMs: beginMs },
    observe(exchange) {
      exchanges.push(exchange);
      tally.count(exchange);
    },
  });
  const target = worldTarget(
    sim,
    createTurns(() => undefined),
  );
  const punctuality = await target.traffic(order);
  const dueMs = exchanges.map(({ atMs }) => atMs - beginMs);
  const { impressions } = sim.usage();
  return { dueMs, endMs: sim.clock.now() - beginMs, punctuality, impressions, ...tally.summary() };
}

const steady = { for: "100s", arrivals: { kind: "constant", rate: "100/s" } } as const;

test("every request is sent at its instant, and the clock stops at the traffic's end", async () => {
  const played = await run({ ...steady, for: "10s" });
  expect(played.dueMs).toEqual(Array.from({ length: 1000 }, (_, k) => 10 * k));
  expect(played).toMatchObject({ endMs: 10_000, punctuality: { late: 0, dropped: 0 } });
  expect(played).toMatchObject({ sent: 1000, ok: 1000, differentIds: 1000 });
});

test("a click after the end is sent, and the clock stops there", async () => {
  const played = await run({ ...steady, for: "1s", clicks: { rate: 1, after: "1m" } });
  const all = { sent: 100, ok: 100 };
  expect(played.operations).toEqual({ impression: all, click: all });
  expect(played.endMs).toBe(990 + 60_000);
});

test("the service counts the given share of impressions as duplicates, and none without sessions", async () => {
  const { ok, sent, impressions } = await run({ ...steady, repeatedSessions: 0.25 });
  expect(ok).toBe(10_000);
  expect(Math.abs(1 - impressions / sent - 0.25)).toBeLessThan(0.02);
  expect((await run({ ...steady, sessions: false })).impressions).toBe(10_000);
});

test("every operation of a mix is answered, as far as the limits go", async () => {
  const mix = { impression: 970, stats: 10, surfaces: 10, payouts: 10 };
  const { statuses, operations } = await run({ ...steady, mix });
  expect(Object.keys(statuses)).toEqual(["200", "429"]);
  for (const { ok } of Object.values(operations)) expect(ok).toBeGreaterThan(50);
});

test("traffic gives up after its timeout, and clicks only what was answered", async () => {
  const slow: Traffic = { ...steady, for: "10s", timeout: "2s", clicks: { rate: 1 } };
  const played = await run(slow, { kind: "delay", delay: "3s" });
  const { impression, click } = played.operations;
  expect(impression?.sent).toBe(1000);
  expect(click?.sent).toBe(impression?.ok);
  expect(played.timedOut).toBeGreaterThan(400);
  expect(played.timedOut).toBe(played.sent - played.ok);
});

const nothing = { status: 0, headers: {}, text: "" };
const whole = { outcome: "answered", status: 200, received: "whole" };
const lost = { outcome: "lost", ...nothing };
const timedOut = { outcome: "timed-out", ...nothing, received: "nothing" };

test.each<[Verdict, object, number?]>([
  [
    { kind: "delay", delay: 60 },
    { ...whole, latencyMs: 60 },
  ],
  [{ kind: "delay", delay: 60 }, { ...timedOut, latencyMs: 59 }, 59],
  [
    { kind: "delay", delay: 10_000 },
    { ...whole, latencyMs: 10_000 },
  ],
  [
    { kind: "delay", delay: 10_001 },
    { ...timedOut, latencyMs: 10_000 },
  ],
  [
    { kind: "respond", status: 503, body: "busy" },
    { outcome: "answered", status: 503, text: "busy" },
  ],
  [
    { kind: "drop", as: "close" },
    { ...lost, latencyMs: 0 },
  ],
  [{ kind: "lose-response", as: "reset" }, lost],
  [{ kind: "timeout" }, { outcome: "timed-out", ...nothing, latencyMs: 10_000 }],
  [
    { kind: "empty", delay: 700 },
    { ...lost, latencyMs: 700 },
  ],
  [
    { kind: "truncate", atByte: 5 },
    { outcome: "cut", status: 200, text: '{"ok"' },
  ],
  [{ kind: "garbage", as: "response" }, lost],
  [{ kind: "garbage" }, { outcome: "answered", text: expect.stringMatching(/^\uFFFD/) }],
  [
    { kind: "reorder", atMost: "2s" },
    { ...whole, latencyMs: 2000 },
  ],
  [{ kind: "reorder", atMost: "11s" }, timedOut],
  [{ kind: "drip", bytesPerSecond: 1 }, timedOut],
  // Its body has 78 bytes.
  [
    { kind: "drip", bytesPerSecond: 100 },
    { outcome: "answered", latencyMs: 780 },
  ],
])("of %o a client sees %o", (verdict, expected, timeoutMs = 10_000) => {
  const sim = createSimulator({ seed: "traffic", publishers: 2 });
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
  const received = sim.journal.entries({ limit: 1 })[0]?.fault?.received;
  expect({ ...exchange, received }).toMatchObject({ atMs: 5, request, ...expected });
});
