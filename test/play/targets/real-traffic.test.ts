import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ClientExchange, Outgoing } from "../../../src/invariants/client-exchange.ts";
import { CONNECTIONS, playRealTraffic } from "../../../src/play/targets/play-traffic.ts";
import type { Arrival } from "../../../src/play/traffic/source.ts";
import type { Traffic } from "../../../src/play/traffic/traffic.ts";
import { answerTo, orderOf } from "../traffic/orders.ts";

const steady = { for: "50ms", arrivals: { kind: "constant", rate: "1000/s" } } as const;

interface Sent extends Arrival {
  readonly sentMs: number;
}

/** Plays traffic at a service that answers each request when `answering` ends. */
async function played(
  traffic: Traffic,
  answering: (sent: Sent) => unknown,
  options: { readonly speed?: number; readonly maxWaiting?: number } = {},
) {
  const startedMs = performance.now();
  const sent: Sent[] = [];
  const observed: ClientExchange[] = [];
  const punctuality = await playRealTraffic(
    orderOf(traffic, { observe: (exchange) => observed.push(exchange) }),
    {
      ...{ speed: 1, ...options },
      async send(outgoing: Outgoing) {
        const one = { ...(outgoing as Arrival), sentMs: performance.now() - startedMs };
        sent.push(one);
        await answering(one);
        const { operation, request } = outgoing;
        const answer = { ...answerTo(0), headers: {}, latencyMs: 0 };
        return { operation, atMs: 0, request, ...answer };
      },
    },
  );
  return { ...punctuality, sent, observed, tookMs: performance.now() - startedMs };
}

test.each([0.5, 1, 10])(
  "at speed %d every request is sent once, not before it is due, and observed",
  async (speed) => {
    const { sent, observed, dropped, tookMs } = await played(steady, () => sleep(5), { speed });
    expect(sent.map(({ dueMs }) => dueMs)).toEqual(Array.from({ length: 50 }, (_, ms) => ms));
    expect(sent.filter(({ sentMs, dueMs }) => sentMs < dueMs / speed)).toEqual([]);
    expect(observed.map(({ request }) => request)).toEqual(sent.map(({ request }) => request));
    expect(dropped).toBe(0);
    expect(tookMs).toBeGreaterThanOrEqual(50 / speed);
  },
);

test("a service that answers nothing doesn't hold up the schedule; requests without a connection wait", async () => {
  let inFlight = 0;
  let most = 0;
  let held: Promise<unknown> | undefined;
  const { late, observed, sent } = await played({ ...steady, for: "100ms" }, async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    // From the first request on: preparing the traffic takes some milliseconds, too.
    held ??= sleep(400);
    await held;
    inFlight -= 1;
  });
  expect(most).toBe(CONNECTIONS);
  expect(late).toBeGreaterThanOrEqual(100 - CONNECTIONS);
  expect(observed).toHaveLength(100);
  // Latency counts from when a request was due, not from when it was sent: no answer came before 400 ms.
  observed.forEach(({ latencyMs }, index) => {
    expect(latencyMs).toBeGreaterThanOrEqual(398 - (sent[index]?.dueMs ?? 0));
  });
});

test("requests too far behind are dropped and counted", async () => {
  const maxWaiting = 1000;
  const count = maxWaiting + CONNECTIONS;
  // None is answered until all have come due.
  const all = { for: 1, arrivals: { kind: "burst", count: count + 5 } } as const;
  const { dropped, observed } = await played(all, () => undefined, { maxWaiting });
  expect(dropped).toBe(5);
  expect(observed).toHaveLength(count);
});

test("a click is sent when it is due, before what was planned for later, and not before the answer", async () => {
  const arrivals = { kind: "trace", atMs: [0, 300] } as const;
  const traffic = { for: "301ms", arrivals, clicks: { rate: 1, after: 40 } } as const;
  const { sent } = await played(traffic, ({ operation, dueMs }) =>
    operation === "impression" && dueMs === 0 ? sleep(60) : undefined,
  );
  const operations = sent.map(({ operation }) => operation);
  expect(operations).toEqual(["impression", "click", "impression", "click"]);
  // A timer may be a millisecond early.
  expect(sent[1]?.dueMs).toBeGreaterThanOrEqual(59);
  // The last click comes when nothing else is planned.
  expect(sent[3]?.dueMs).toBeGreaterThanOrEqual(340);
});

test("a request that can't be sent at all, or an observer that throws, ends the traffic", async () => {
  const unsendable = (): Promise<never> => Promise.reject(new Error("no header"));
  await expect(played(steady, unsendable)).rejects.toThrow("no header");
  const order = orderOf(steady, {
    observe() {
      throw new Error("no more");
    },
  });
  const send = async (outgoing: Outgoing): Promise<ClientExchange> => ({
    ...outgoing,
    ...{ ...answerTo(0), atMs: 0, headers: {}, latencyMs: 0 },
  });
  await expect(playRealTraffic(order, { speed: 1, send })).rejects.toThrow("no more");
});
