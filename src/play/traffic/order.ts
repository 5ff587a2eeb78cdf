/** What is ordered of whoever sends traffic, and how well its schedule was kept. */

import type { ClientExchange, Member } from "../../laws/client-exchange.ts";
import type { Traffic } from "./traffic.ts";

/** Traffic with everybody in it. */
export interface TrafficOrder {
  readonly traffic: Traffic;
  readonly members: readonly Member[];
  /** When it begins, in milliseconds since 1970 on the target's clock: a daily curve follows the hours of UTC. */
  readonly startMs: number;
  /** What its draws follow from. */
  readonly seed: string;
  /** Number of the traffic step in the run, from 0: two don't draw the same, and their sessions differ. */
  readonly number: number;
  readonly observe: Observer;
}

/** How well a schedule was kept. In virtual time it always is. */
export interface Punctuality {
  /** Requests that were sent more than 10 ms after they were due. */
  readonly late: number;
  /** Requests that were never sent, since too many were waiting for a connection. */
  readonly dropped: number;
}

/** Is told of every exchange, in the order in which they end. */
export type Observer = (exchange: ClientExchange) => void;
