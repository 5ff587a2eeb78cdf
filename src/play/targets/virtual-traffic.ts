/** Traffic in a world whose clock we move: each request at its very time, one after the other, as in process. */

import type { Exchange, Outgoing } from "../../laws/seen-exchange.ts";
import type { Observer, Punctuality } from "../player/effects.ts";
import type { TrafficSource } from "../traffic/source.ts";

export interface VirtualTraffic {
  readonly source: TrafficSource;
  /** How long it lasts, where the last click doesn't come later. */
  readonly forMs: number;
  /** Lets the world's clock go on. */
  advance(ms: number): Promise<void>;
  send(outgoing: Outgoing): Promise<Exchange>;
  readonly observe: Observer;
  /** Is told after each request how many there were. */
  readonly onProgress?: ((sent: number) => void) | undefined;
}

/** It is always on time. */
const punctual: Punctuality = Object.freeze({ late: 0, dropped: 0 });

/** Over when the last answer is in, and its time has passed. */
export async function playVirtualTraffic(order: VirtualTraffic): Promise<Punctuality> {
  const { source, onProgress } = order;
  let passedMs = 0;
  let sent = 0;
  for (let arrival = source.next(); arrival !== undefined; arrival = source.next()) {
    const { number, dueMs } = arrival;
    if (dueMs > passedMs) {
      await order.advance(dueMs - passedMs);
      passedMs = dueMs;
    }
    const exchange = await order.send(arrival);
    source.answered(number, exchange);
    order.observe(exchange);
    sent += 1;
    onProgress?.(sent);
  }
  if (order.forMs > passedMs) await order.advance(order.forMs - passedMs);
  return punctual;
}
