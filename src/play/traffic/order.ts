/** An order to send traffic, and how well its schedule was kept. */

import type { ClientExchange } from "../../invariants/client-exchange.ts";
import type { Credentials } from "../../world/accounts/account.ts";
import type { Traffic } from "./traffic.ts";

/** Traffic with its resolved publishers. */
export interface TrafficOrder {
  readonly traffic: Traffic;
  readonly members: readonly Credentials[];
  /** When it begins, in milliseconds since 1970 on the target's clock. Daily curves need it: they follow the hours of UTC. */
  readonly startMs: number;
  /** Seed of its random draws. */
  readonly seed: string;
  /** Number of the traffic step in the run, from 0. It makes draws and sessions differ between steps. */
  readonly number: number;
  /** A part of every session id, so that runs differ. @default the seed alone decides */
  readonly runId?: string | undefined;
  /** Called with every exchange, in the order in which they end. */
  observe(exchange: ClientExchange): void;
}

/** How well a schedule was kept. In virtual time both counts are 0. */
export interface Punctuality {
  /** Requests sent more than 10 ms after they were due. */
  readonly late: number;
  /** Requests never sent, because too many were waiting for a connection. */
  readonly dropped: number;
}
