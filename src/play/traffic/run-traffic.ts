/** Sends traffic into a simulator of this process, in virtual time: every request at the instant at which it is due. */

import { durationMs } from "../../base/duration.ts";
import { exchangeOf } from "../../laws/client-exchange.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { Work } from "../../spec/work.ts";
import type { Punctuality, TrafficOrder } from "./order.ts";

import { createTrafficSource } from "./source.ts";

/**
 * Begins at the clock's instant, which stands, and ends when `for` is over, or with the last click where that is later. Others may pass after
 * every few requests.
 *
 * @throws InputError where nobody takes part, or somebody without a surface, before anything is sent.
 */
export function* runTraffic(sim: SimulatorCore, order: TrafficOrder): Work<Punctuality> {
  const { observe, traffic } = order;
  // Taken out once: an engine looks a method up slowly in an object that has getters.
  const { handle, clock } = sim;
  const { advance } = clock;
  const beginMs = clock.now();
  const endMs = beginMs + durationMs(traffic.for);
  const source = createTrafficSource(order);
  let nowMs = beginMs;
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    const dueMs = beginMs + arrival.dueMs;
    if (dueMs > nowMs) nowMs = advance(dueMs - nowMs);
    const exchange = exchangeOf(arrival, handle(arrival.request), nowMs);
    source.answered(arrival.number, exchange);
    observe(exchange);
    if (arrival.number % REQUESTS_AT_ONCE === 0) yield;
  }
  if (endMs > nowMs) advance(endMs - nowMs);
  return onTime;
}

const REQUESTS_AT_ONCE = 64;
const onTime: Punctuality = Object.freeze({ late: 0, dropped: 0 });
