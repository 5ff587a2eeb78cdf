/** Sends traffic to a simulator in this process, in virtual time: each request exactly when it is due. */

import { durationMs } from "../../../base/duration.ts";
import type { Stepwise } from "../../../base/stepwise.ts";
import { exchangeOf } from "../../../invariants/client-exchange.ts";
import type { SimulatorCore } from "../../../simulator/core.ts";
import type { Punctuality, TrafficOrder } from "../../traffic/order.ts";
import { createTrafficSource } from "../../traffic/source.ts";

/**
 * Starts at the frozen clock's time and ends when `for` is over, or with the last click if that is later. Yields after
 * every few requests, so that other work can run.
 *
 * @throws InputError before anything is sent, if there is no publisher, or one without surfaces.
 */
export function* runTraffic(sim: SimulatorCore, order: TrafficOrder): Stepwise<Punctuality> {
  const { observe, traffic } = order;
  // Read once, because method look-up is slow in an object with getters.
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
