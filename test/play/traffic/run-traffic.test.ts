import { expect, test } from "vitest";
import type { FaultRule } from "../../../src/faults/rule.ts";
import { createSimulator } from "../../../src/index.ts";
import { type ClientExchange, exchangeOf } from "../../../src/invariants/client-exchange.ts";
import { createTally } from "../../../src/play/measure/tally.ts";
import { createTurns } from "../../../src/play/targets/turns.ts";
import { worldTarget } from "../../../src/play/targets/world-target.ts";
import type { Traffic } from "../../../src/play/traffic/traffic.ts";
import { buildRequest } from "../../../src/spec/build-request.ts";
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
  return {
    dueMs: exchanges.map(({ atMs }) => atMs - beginMs),
    endMs: sim.clock.now() - beginMs,
    impressions: sim.usage().impressions,
    ...{ punctuality, ...tally.summary() },
  };
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
  expect(played.operations).toMatchObject({ impression: all, click: all });
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
  const { click, ...asked } = operations;
  expect(click.sent).toBe(0);
  for (const { ok } of Object.values(asked)) expect(ok).toBeGreaterThan(50);
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

// What a client sees of each verdict, play over HTTP compares. In virtual time latency is the delay of the answer.
test.each<[Verdict, outcome: string, latencyMs: number, timeoutMs?: number]>([
  [{ kind: "delay", delay: 60 }, "answered", 60],
  [{ kind: "delay", delay: 60 }, "timed-out", 59, 59],
  [{ kind: "delay", delay: 10_001 }, "timed-out", 10_000],
  [{ kind: "timeout" }, "timed-out", 10_000],
  [{ kind: "empty", delay: 700 }, "lost", 700],
  [{ kind: "reorder", atMost: "2s" }, "answered", 2000],
  // Its body has 78 bytes.
  [{ kind: "drip", bytesPerSecond: 100 }, "answered", 780],
])("of %o a client sees: %s after %d ms", (verdict, outcome, latencyMs, timeoutMs = 10_000) => {
  const sim = createSimulator({ seed: "traffic", publishers: 2 });
  sim.faults.add({ verdict });
  const { id, apiKey: key, surfaces } = sim.publishers.at(0);
  const shown = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad-1" };
  const outgoing = {
    operation: "impression",
    request: buildRequest("impression", shown, { key }),
    timeoutMs,
  } as const;
  expect(exchangeOf(outgoing, sim.handle(outgoing.request), 5)).toMatchObject({
    ...{ atMs: 5, outcome, latencyMs },
  });
});
