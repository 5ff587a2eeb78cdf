/**
 * Two minutes at full speed under 20 random fault rules: no crash, no unhandled rejection, no growth of memory once the
 * rings are full, and books that balance. `npm run soak -- 120 SEED`; exits with 1 where one of them doesn't hold.
 */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { deriveKey, drawBetween } from "../src/base/random.ts";
import type { FaultRule, OperationId, Verdict } from "../src/index.ts";
import { startServer } from "../src/server.ts";
import { printMachine } from "./measure.ts";

const SECONDS = Number(process.argv[2] ?? 120);
const SEED = process.argv[3] ?? "soak";
const PUBLISHERS = 40;
const SAMPLE_MS = 2000;
/** How much more the second half may hold than the first once the rings are full, in bytes. The ledger is counted apart. */
const MAX_GROWTH_BYTES = 4 * 1024 * 1024;

const key = deriveKey(SEED, "soak");
const verdicts: readonly ((draw: number) => Verdict)[] = [
  (draw) => ({ kind: "delay", delay: { from: 1, to: 5 + (draw % 50), shape: "long-tailed" } }),
  (draw) => ({ kind: "respond", status: 500 + (draw % 5), headers: { "retry-after": "1" } }),
  () => ({ kind: "respond", status: 504, applied: true, body: { error: "gateway" } }),
  () => ({ kind: "drop" }),
  () => ({ kind: "lose-response" }),
  () => ({ kind: "lose-response", as: "reset" }),
  () => ({ kind: "timeout" }),
  () => ({ kind: "reset" }),
  () => ({ kind: "empty" }),
  (draw) => ({ kind: "truncate", share: (draw % 100) / 100 }),
  () => ({ kind: "garbage" }),
  () => ({ kind: "garbage", as: "response" }),
  (draw) => ({ kind: "drip", bytesPerSecond: 500 + (draw % 5000) }),
  () => ({ kind: "duplicate" }),
  () => ({ kind: "reorder", by: 2, atMost: "20ms" }),
];
const operations: readonly OperationId[] = ["impression", "click", "stats", "payouts", "surfaces"];

/** A rule for each kind of verdict and some more, each for a small share of some operation. */
function rules(): FaultRule[] {
  return Array.from({ length: 20 }, (_, index) => {
    const draw = drawBetween(key, index, 0, 0xffff_ffff);
    const verdict = verdicts[index % verdicts.length]?.(draw) ?? { kind: "drop" };
    const operation = index < verdicts.length ? "impression" : operations[draw % operations.length];
    return { match: { operation, share: 0.001 + (draw % 20) / 1000 }, verdict };
  });
}

const rejections: unknown[] = [];
process.on("unhandledRejection", (error) => rejections.push(error));
process.on("uncaughtException", (error) => rejections.push(error));

printMachine();
const server = await startServer({
  port: 0,
  seed: SEED,
  publishers: PUBLISHERS,
  faults: rules(),
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

interface Sample {
  readonly heap: number;
  readonly requests: number;
}
const samples: Sample[] = [];
const timer = setInterval(() => {
  globalThis.gc?.();
  samples.push({ heap: process.memoryUsage().heapUsed, requests: world.journal.total });
}, SAMPLE_MS);

const [outcomes] = await finished;
clearInterval(timer);
const audit = world.audit();
await server.close();
await load.terminate();

const full = samples.filter(({ requests }) => requests > 20_000);
const half = Math.floor(full.length / 2);
const mean = (of: readonly Sample[]): number =>
  of.reduce((sum, { heap }) => sum + heap, 0) / Math.max(1, of.length);
const growth = mean(full.slice(half)) - mean(full.slice(0, half));
const fired = world.faults.list().map(({ id, fired: times }) => `${id} ${times}`);
console.log(`${world.journal.total} requests in ${SECONDS} s; what the clients saw:`, outcomes);
console.log(`rules fired: ${fired.join(", ")}`);
console.log(
  `heap, second half less first half of ${full.length} samples: ${Math.round(growth / 1024)} KiB`,
);
console.log("audit:", audit.balanced, audit.discrepancies, audit.total);
console.log(`unhandled rejections and exceptions: ${rejections.length}`, ...rejections.slice(0, 3));

const quiet = world.faults.list().filter(({ fired: times }) => times === 0);
const failures = [
  ...(audit.balanced ? [] : ["the books don't balance"]),
  ...(rejections.length === 0 ? [] : ["something was thrown and not caught"]),
  ...(growth <= MAX_GROWTH_BYTES ? [] : ["memory grows"]),
  ...(full.length >= 8 ? [] : ["the rings weren't full for long enough to tell"]),
  ...(globalThis.gc === undefined ? ["run it with --expose-gc"] : []),
  ...quiet.map(({ id }) => `${id} never fired`),
];
console.log(failures.length === 0 ? "held" : `FAILED: ${failures.join("; ")}`);
process.exitCode = failures.length === 0 ? 0 : 1;
