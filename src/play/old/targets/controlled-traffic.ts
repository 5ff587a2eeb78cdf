/**
 * Traffic at an adsim, whose clock the play moves: one request after the other, each at its due time on that clock. With a
 * speed, real time passes as well, and a latency counts from when the request was due in real time: a stall shows in
 * every request that it delayed, also in those that were sent only after it.
 */

import { setTimeout } from "node:timers/promises";
import { timerMs } from "../../../base/drip.ts";
import { durationMs } from "../../../base/duration.ts";
import type { ClientExchange, Outgoing } from "../../../invariants/client-exchange.ts";
import type { Punctuality, TrafficOrder } from "../../traffic/order.ts";
import { createTrafficSource } from "../../traffic/source.ts";
import { LATE_MS } from "./real-traffic.ts";
import type { TargetOptions } from "./target.ts";

export interface ControlledTraffic {
  /** How many times as fast as real time; undefined if no real time passes. */
  readonly speed: number | undefined;
  readonly onProgress: TargetOptions["onProgress"];
  send(outgoing: Outgoing): Promise<ClientExchange>;
  /** Moves the target's clock, at once. */
  moveClock(ms: number): Promise<void>;
  /** @default the machine's time */
  readonly realTime?: RealTime | undefined;
}

/** In milliseconds. */
interface RealTime {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const machine: RealTime = {
  now: () => performance.now(),
  sleep: (ms) => setTimeout(timerMs(ms)),
};

export async function playControlledTraffic(
  order: TrafficOrder,
  { speed, onProgress, send, moveClock, realTime = machine }: ControlledTraffic,
): Promise<Punctuality> {
  const source = createTrafficSource(order);
  const startedMs = realTime.now();
  let passedMs = 0;
  let sent = 0;
  let late = 0;

  /** How long ago it was due in real time. */
  function overdueMs(dueMs: number): number {
    return speed === undefined ? 0 : realTime.now() - startedMs - dueMs / speed;
  }

  async function passUntil(ms: number): Promise<void> {
    if (ms <= passedMs) return;
    const leftMs = -overdueMs(ms);
    if (leftMs >= 1) await realTime.sleep(leftMs);
    await moveClock(ms - passedMs);
    passedMs = ms;
  }

  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    // The source uses the object again for the next one.
    const { number, dueMs } = arrival;
    await passUntil(dueMs);
    if (overdueMs(dueMs) > LATE_MS) late += 1;
    const exchange = await send(arrival);
    source.answered(number, exchange);
    const latencyMs = Math.max(exchange.latencyMs, overdueMs(dueMs));
    order.observe({ ...exchange, latencyMs });
    sent += 1;
    onProgress?.({ sent, ended: sent, waiting: 0, late, dropped: 0 });
  }
  await passUntil(durationMs(order.traffic.for));
  return { late, dropped: 0 };
}
