import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createHttpClient } from "../../../src/play/targets/http-client.ts";
import { playRealTraffic } from "../../../src/play/targets/real-traffic.ts";
import type { TrafficSource } from "../../../src/play/traffic/source.ts";
import { machineMs, type Observed, type Stall } from "./stalling-service.ts";

const REQUESTS = 10_000;
const EVERY_MS = 1;
const stall: Stall = { fromRequest: 3000, forMs: 1000 };

function steady(began: () => void): TrafficSource {
  let number = -1;
  return {
    nextDueMs() {
      if (number === -1) began();
      return number === REQUESTS - 1 ? Number.POSITIVE_INFINITY : (number + 1) * EVERY_MS;
    },
    next() {
      if (number === REQUESTS - 1) return undefined;
      number += 1;
      const request = { method: "GET", path: `/${number}` };
      return { number, dueMs: number * EVERY_MS, operation: "stats", request, timeoutMs: 30_000 };
    },
    answered: () => undefined,
  };
}

function p99(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

/*
 * 10,000 requests in 10 s, and for 1 s of it nobody is answered. A request that is due t ms into the stall waits for
 * 1000 - t: the slowest hundredth, 100 requests, waits for more than 900 ms, and that is the p99. Who counts from the actual
 * sending, or stops sending while waiting, sees 64 slow requests (as many as there are connections) and a p99 of nearly
 * nothing.
 *
 * A machine that is late must not decide about this. So the service notes by itself when each request came and was answered.
 * With the plan alone that gives what each latency truly was, whatever the machine did meanwhile: the measurement is compared
 * with that. The truth itself is compared with the definition only from below, as a late machine makes answers
 * later, never earlier, so that 900 ms of a stall of 1000 is the least. That the wrong way of measuring would show is
 * checked on the service's own notes: were it slow enough to hide the difference, the test fails instead of passing.
 */
test("a stall shows in the latency of every request that was due in it", async () => {
  const service = new Worker(new URL("./stalling-service.ts", import.meta.url), {
    workerData: { ...stall, requests: REQUESTS },
  });
  onTestFinished(async () => {
    await service.terminate();
  });
  const [port] = await once(service, "message");
  const client = await createHttpClient(`http://127.0.0.1:${port}`, { connections: 64 });
  onTestFinished(() => client.close());

  const measured: number[] = [];
  const calledMs = machineMs();
  let startedMs = 0;
  const { dropped } = await playRealTraffic({
    // The source is asked for its first request just after the clock has begun.
    source: steady(() => {
      startedMs = (calledMs + machineMs()) / 2;
    }),
    speed: 1,
    send: (outgoing) => client.send("", outgoing),
    observe: ({ outcome, latencyMs }) => {
      if (outcome === "answered") measured.push(latencyMs);
    },
  });
  const notes = once(service, "message");
  await client.send("", { request: { method: "GET", path: "/observed" }, timeoutMs: 30_000 });
  const [{ arrivedMs, answeredMs, stall: stalled }] = (await notes) as [Observed];

  expect(dropped).toBe(0);
  expect(measured).toHaveLength(REQUESTS);
  const truth = p99(answeredMs.map((ms, number) => ms - startedMs - number * EVERY_MS));
  const naive = p99(answeredMs.map((ms, number) => ms - (arrivedMs[number] ?? 0)));
  const [stallBeganMs, stallEndedMs] = stalled;
  const defined = stallEndedMs - stallBeganMs - (REQUESTS / 100) * EVERY_MS;
  expect(defined).toBeGreaterThan(890);
  expect(truth).toBeGreaterThan(defined * 0.95);
  expect(Math.abs(p99(measured) - truth)).toBeLessThan(truth * 0.05);
  expect(naive).toBeLessThan(truth * 0.5);
}, 60_000);
