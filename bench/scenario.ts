/**
 * A scenario's traffic played in process, as on a busy day: one publisher at 80 % of its limit in the mean. Beside it the
 * same requests, made before, through `sim.handle` alone.
 */

import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { creditedMicros } from "../src/scenario/measure/credited.ts";
import { createTally, type Tally } from "../src/scenario/measure/tally.ts";
import type { TrafficOrder } from "../src/scenario/player/effects.ts";
import { runTraffic } from "../src/scenario/traffic/run-traffic.ts";
import { createTrafficSource } from "../src/scenario/traffic/source.ts";
import { median, printFigure, printMachine, timed } from "./measure.ts";

const HOURS_A_ROUND = 1;
const ROUNDS = 9;

function orderOf(sim: Simulator, number: number, tally: Tally): TrafficOrder {
  const [publisher] = sim.publishers.credentials(1);
  if (publisher === undefined) throw new Error("There is no publisher.");
  return {
    traffic: { for: `${HOURS_A_ROUND}h`, arrivals: { kind: "daily", mean: "8000/m" } },
    members: [{ ...publisher, joined: undefined }],
    startMs: sim.clock.now(),
    seed: "bench",
    number,
    observe: (exchange) => tally.count(exchange, creditedMicros(exchange.text)),
  };
}

/** When each is due and what it asks, as the traffic has them. */
interface Prepared {
  readonly dueMs: readonly number[];
  readonly requests: readonly ApiRequest[];
}

function prepare(order: TrafficOrder): Prepared {
  const dueMs: number[] = [];
  const requests: ApiRequest[] = [];
  const source = createTrafficSource(order);
  for (let next = source.next(); next !== undefined; next = source.next()) {
    dueMs.push(next.dueMs);
    requests.push(next.request);
  }
  return { dueMs, requests };
}

/** Makes them all, and nothing with them. */
function makeAll(order: TrafficOrder): void {
  const source = createTrafficSource(order);
  while (source.next() !== undefined);
}

/** The clock moves as with traffic, or the limit would be reached. */
function handleAll(sim: Simulator, { dueMs, requests }: Prepared): void {
  const beginMs = sim.clock.now();
  let nowMs = beginMs;
  for (let index = 0; index < requests.length; index += 1) {
    const request = requests[index];
    const atMs = beginMs + (dueMs[index] ?? 0);
    if (atMs > nowMs) nowMs = sim.clock.advance(atMs - nowMs);
    if (request !== undefined) sim.handle(request);
  }
  sim.clock.advance(beginMs + HOURS_A_ROUND * 3_600_000 - nowMs);
}

const options = { seed: "bench", publishers: 1, journalEntries: 0 };
const played = createSimulator(options);
const handled = createSimulator(options);
const perSecond: Record<"source" | "traffic" | "handle", number[]> = {
  source: [],
  traffic: [],
  handle: [],
};

for (let round = 0; round < ROUNDS; round += 1) {
  const tally = createTally();
  const order = orderOf(played, round, tally);
  const prepared = prepare(order);
  const rate = (ms: number): number => (prepared.requests.length / ms) * 1000;
  perSecond.source.push(rate(timed(() => makeAll(order))));
  perSecond.traffic.push(rate(timed(() => runTraffic(played, order))));
  perSecond.handle.push(rate(timed(() => handleAll(handled, prepared))));
  const { sent, ok } = tally.summary();
  if (ok !== prepared.requests.length) throw new Error(`Of ${sent} impressions ${ok} were taken.`);
}
if (played.held().impressions !== handled.held().impressions) {
  throw new Error("What was played isn't what was handled.");
}

printMachine();
const alone = median(perSecond.handle);
const traffic = median(perSecond.traffic);
printFigure({
  name: "source alone, impressions",
  value: median(perSecond.source),
  unit: "a second",
});
printFigure({ name: "sim.handle alone, clock moving", value: alone, unit: "a second" });
printFigure({
  name: "traffic: source, clock, sim.handle, tally",
  value: traffic,
  unit: "a second",
  atLeast: 400_000,
});
printFigure({ name: "traffic, share of sim.handle alone", value: traffic / alone, unit: "×" });
