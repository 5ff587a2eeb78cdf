/** Traffic at a target whose clock the play moves: one request after the other, each at its due time on that clock. */

import { durationMs } from "../../base/duration.ts";
import type { Punctuality, TrafficOrder } from "../traffic/order.ts";
import { createTrafficSource } from "../traffic/source.ts";
import type { Target } from "./target.ts";
import type { Turns } from "./turns.ts";

interface ClockTraffic extends Pick<Target, "send" | "wait"> {
  readonly turns: Turns;
}

export async function playClockTraffic(
  order: TrafficOrder,
  { send, wait, turns }: ClockTraffic,
): Promise<Punctuality> {
  const source = createTrafficSource(order);
  let passedMs = 0;

  async function passUntil(ms: number): Promise<void> {
    if (ms <= passedMs) return;
    await wait(ms - passedMs);
    passedMs = ms;
  }
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    await passUntil(arrival.dueMs);
    const exchange = await send(arrival);
    arrival.answered(exchange);
    order.observe(exchange);
    await turns();
  }
  await passUntil(durationMs(order.traffic.for));
  return { late: 0, dropped: 0 };
}
