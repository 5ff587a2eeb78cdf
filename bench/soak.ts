/**
 * Two minutes at full speed under random faults of every kind: no crash, no unhandled rejection, no growth of memory once
 * the journal is full, and books that balance. `npm run soak -- SECONDS`; exits with 1 where one of them doesn't hold.
 */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FaultRule, Verdict } from "../src/index.ts";
import { startServer } from "../src/server.ts";
import { printMachine } from "./measure.ts";

const SECONDS = Number(process.argv[2] ?? 120);
const PUBLISHERS = 40;
const SAMPLE_MS = 2000;
/** How many bytes of heap the second half of the samples may have more than the first. */
const MAX_GROWTH_BYTES = 4 * 1024 * 1024;

const verdicts: readonly Verdict[] = [
  { kind: "delay", delay: { from: 1, to: 50, shape: "long-tailed" } },
  { kind: "respond", status: 503, headers: { "retry-after": "1" } },
  { kind: "respond", status: 504, applied: true, body: { error: "gateway" } },
  { kind: "drop" },
  { kind: "lose-response" },
  { kind: "lose-response", as: "reset" },
  { kind: "timeout" },
  { kind: "reset" },
  { kind: "empty" },
  { kind: "truncate", share: 0.5 },
  { kind: "garbage" },
  { kind: "garbage", as: "response" },
  { kind: "wrong-body", wrong: "ok-false" },
  { kind: "drip", bytesPerSecond: 2000 },
  { kind: "duplicate" },
  { kind: "reorder", by: 2, atMost: "20ms" },
];
const faults = verdicts.map((verdict): FaultRule => ({ match: { share: 0.01 }, verdict }));

const rejections: unknown[] = [];
process.on("unhandledRejection", (error) => rejections.push(error));
process.on("uncaughtException", (error) => rejections.push(error));

printMachine();
const server = await startServer({
  port: 0,
  seed: "soak",
  publishers: PUBLISHERS,
  faults,
  clock: "flowing",
});
const world = server.worlds.get("default");
const callers = world.publishers.credentials(PUBLISHERS).map(({ id, apiKey, surfaces }) => ({
  id,
  apiKey,
  surface: surfaces[0]?.id,
}));
const load = new Worker(new URL("./soak-client.mjs", import.meta.url), {
  workerData: { url: server.url, callers, seconds: SECONDS },
});
const finished = once(load, "message") as Promise<[Record<string, number>]>;

/** Bytes of the heap, from when the journal is full. */
const heaps: number[] = [];
const timer = setInterval(() => {
  globalThis.gc?.();
  if (world.journal.total > 20_000) heaps.push(process.memoryUsage().heapUsed);
}, SAMPLE_MS);

const [outcomes] = await finished;
clearInterval(timer);
const audit = world.audit();
await server.close();
await load.terminate();

const half = Math.floor(heaps.length / 2);
const mean = (of: readonly number[]): number => of.reduce((sum, heap) => sum + heap, 0) / of.length;
const growth = mean(heaps.slice(half)) - mean(heaps.slice(0, half));
const rules = world.faults.list();
console.log(`${world.journal.total} requests in ${SECONDS} s; what the clients saw:`, outcomes);
console.log(`rules fired: ${rules.map(({ id, fired }) => `${id} ${fired}`).join(", ")}`);
console.log(
  `heap, second half less first half of ${heaps.length} samples: ${Math.round(growth / 1024)} KiB`,
);
console.log("audit:", audit.balanced, audit.discrepancies, audit.total);
console.log(`unhandled rejections and exceptions: ${rejections.length}`, ...rejections.slice(0, 3));

const failures = [
  ...(audit.balanced ? [] : ["the books don't balance"]),
  ...(rejections.length === 0 ? [] : ["something was thrown and not caught"]),
  ...(growth > MAX_GROWTH_BYTES ? ["memory grows"] : []),
  ...(heaps.length >= 8 ? [] : ["the journal wasn't full for long enough to tell"]),
  ...(globalThis.gc === undefined ? ["run it with --expose-gc"] : []),
  ...rules.filter(({ fired }) => fired === 0).map(({ id }) => `${id} never fired`),
];
console.log(failures.length === 0 ? "held" : `FAILED: ${failures.join("; ")}`);
process.exitCode = failures.length === 0 ? 0 : 1;
