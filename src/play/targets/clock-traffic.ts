/** Traffic at a target whose clock the play moves: one request after the other, each at its due time on that clock. */

import { durationMs } from "../../base/duration.ts";
import type { Punctuality, TrafficOrder } from "../traffic/order.ts";
import { createTrafficSource } from "../traffic/source.ts";
import type { Target, TrafficProgress } from "./target.ts";
import type { Turns } from "./turns.ts";

interface ClockTraffic extends Pick<Target, "send" | "wait"> {
  readonly turns: Turns;
  readonly onProgress?: ((progress: TrafficProgress) => void) | undefined;
}

export async function playClockTraffic(
  order: TrafficOrder,
  { send, wait, turns, onProgress }: ClockTraffic,
): Promise<Punctuality> {
  const source = createTrafficSource(order);
  const onTime = { late: 0, dropped: 0 };
  let passedMs = 0;
  let sent = 0;

  async function passUntil(ms: number): Promise<void> {
    if (ms <= passedMs) return;
    await wait(ms - passedMs);
    passedMs = ms;
  }
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    // The source may use the object again for the next one.
    const { number, dueMs } = arrival;
    if (dueMs > passedMs) await passUntil(dueMs);
    // In process the answer is there at once. Awaiting millions of such answers would take seconds.
    const sending = send(arrival);
    const exchange = sending instanceof Promise ? await sending : sending;
    source.answered(number, exchange);
    order.observe(exchange);
    sent += 1;
    onProgress?.({ sent, ended: sent, waiting: 0, ...onTime });
    await turns();
  }
  await passUntil(durationMs(order.traffic.for));
  return onTime;
}
