import { expect, test } from "vitest";
import { InputError } from "../../../src/base/input.ts";
import type { ClientExchange, Outgoing } from "../../../src/invariants/client-exchange.ts";

import type { Answer } from "../../../src/play/targets/http-client.ts";
import { MAX_WAITING, playRealTraffic } from "../../../src/play/targets/real-traffic.ts";
import type { TrafficProgress } from "../../../src/play/targets/target.ts";
import type { Arrival } from "../../../src/play/traffic/source.ts";
import { madeUp } from "./traffic-made-up.ts";

const answer: Answer = {
  outcome: "answered",
  status: 200,
  headers: {},
  text: "impression",
  latencyMs: 0,
  why: undefined,
};

function later<Value>(value: Value, ms: number): Promise<Value> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(value), ms);
  });
}

test("every arrival is sent once and observed when it ends, and the source gets its answer", async () => {
  const source = madeUp({ count: 50, everyMs: 1, timeoutMs: 1234 });
  const observed: ClientExchange[] = [];
  const sent: Outgoing[] = [];
  const progress: TrafficProgress[] = [];
  const punctuality = await playRealTraffic({
    source,
    speed: 1,
    async send(outgoing) {
      sent.push(outgoing);
      const isLost = sent.length % 10 === 0;
      return isLost ? { ...answer, outcome: "lost", status: 0, text: "" } : answer;
    },
    observe: (exchange) => observed.push(exchange),
    onProgress: (one) => progress.push(one),
  });
  expect(punctuality.dropped).toBe(0);
  expect(sent.map(({ request }) => request.path)).toEqual(
    Array.from({ length: 50 }, (_, number) => `/impression/${number}`),
  );
  expect(sent.every(({ timeoutMs }) => timeoutMs === 1234)).toBe(true);
  expect(observed.map(({ request }) => request)).toEqual(sent.map(({ request }) => request));
  expect(observed.filter(({ outcome }) => outcome === "lost")).toHaveLength(5);
  expect([...source.told.values()].filter((text) => text === undefined)).toHaveLength(5);
  expect(source.told.size).toBe(50);
  expect(progress.at(-1)).toEqual({ sent: 50, ended: 50, waiting: 0, ...punctuality });
});

test("nothing is sent before it is due, at any speed", async () => {
  for (const speed of [0.5, 1, 20]) {
    const source = madeUp({ count: 20, everyMs: speed * 5 });
    const startedMs = performance.now();
    const early: number[] = [];
    let number = 0;
    await playRealTraffic({
      source,
      speed,
      async send() {
        if (performance.now() - startedMs < number * 5) early.push(number);
        number += 1;
        return answer;
      },
      observe: () => undefined,
    });
    expect(early).toEqual([]);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(95);
  }
});

test("a service that answers nothing doesn't hold up the schedule; requests without a connection wait", async () => {
  const source = madeUp({ count: 100, everyMs: 1 });
  let release: (answer: Answer) => void = () => undefined;
  const held = new Promise<Answer>((resolve) => {
    release = resolve;
  });
  let onTheirWay = 0;
  let most = 0;
  const observed: ClientExchange[] = [];
  const progress: TrafficProgress[] = [];
  const playing = playRealTraffic({
    source,
    speed: 1,
    connections: 8,
    async send() {
      onTheirWay += 1;
      most = Math.max(most, onTheirWay);
      const got = await held;
      onTheirWay -= 1;
      return got;
    },
    observe: (exchange) => observed.push(exchange),
    onProgress: (one) => progress.push(one),
  });
  await later(undefined, 400);
  // All have come due meanwhile.
  expect(source.due.size).toBe(100);
  expect(onTheirWay).toBe(8);
  release(answer);
  const { late } = await playing;
  expect(most).toBe(8);
  expect(late).toBeGreaterThanOrEqual(92);
  expect(observed).toHaveLength(100);
  // Latency counts from when a request was due, not from when it was sent: no answer came before 400 ms.
  observed.forEach(({ latencyMs }, number) => {
    expect(latencyMs).toBeGreaterThanOrEqual(399 - number);
  });
  expect(progress.some(({ sent, waiting }) => sent === 8 && waiting > 0)).toBe(true);
});

test("requests too far behind are dropped and counted, and the source is told", async () => {
  const extra = 5;
  const source = madeUp({ count: MAX_WAITING + 2 + extra, everyMs: 0 });
  let observed = 0;
  let first = true;
  const { dropped } = await playRealTraffic({
    source,
    speed: 1,
    connections: 2,
    async send() {
      // The first two are on their way until all others have come due.
      if (first) await later(undefined, 0);
      first = false;
      return answer;
    },
    observe() {
      observed += 1;
    },
  });
  expect(dropped).toBe(extra);
  expect(observed).toBe(MAX_WAITING + 2);
  expect([...source.told.values()].filter((text) => text === undefined)).toHaveLength(extra);
});

test("a click that follows from an answer is sent when it is due, before what was planned for later", async () => {
  const source = madeUp({ count: 3, everyMs: 300, clickAfterMs: 40 });
  const sent: string[] = [];
  const observed: ClientExchange[] = [];
  await playRealTraffic({
    source,
    speed: 1,
    async send({ request }) {
      sent.push(request.path);
      return request.path.startsWith("/click") ? { ...answer, text: "click" } : answer;
    },
    observe: (exchange) => observed.push(exchange),
  });
  // A click's path has its impression's number. The last click comes when nothing else is planned.
  expect(sent).toEqual([
    "/impression/0",
    "/click/0",
    "/impression/2",
    "/click/2",
    "/impression/4",
    "/click/4",
  ]);
  expect(observed).toHaveLength(6);
});

test("a click isn't due before the answer that it follows", async () => {
  const due: number[] = [];
  await playRealTraffic({
    source: madeUp({ count: 1, everyMs: 1, clickAfterMs: 0 }),
    speed: 1,
    async send(outgoing) {
      if (outgoing.operation === "click") {
        due.push((outgoing as Arrival).dueMs);
        return { ...answer, text: "click" };
      }
      return await later(answer, 60);
    },
    observe: () => undefined,
  });
  // A timer may be a millisecond early.
  expect(due).toEqual([expect.toSatisfy((ms: number) => ms >= 59)]);
});

test("a request that can't be sent at all, or an observer that throws, ends the traffic", async () => {
  const ending = (change: object): Promise<unknown> =>
    playRealTraffic({
      source: madeUp({ count: 50, everyMs: 1 }),
      speed: 1,
      send: async () => answer,
      observe: () => undefined,
      ...change,
    });
  const unsendable = Promise.reject(new InputError("request.path", "is odd"));
  await expect(ending({ send: () => unsendable })).rejects.toThrow("request.path is odd.");
  const observe = (): never => {
    throw new Error("no more");
  };
  await expect(ending({ observe })).rejects.toThrow("no more");
});
