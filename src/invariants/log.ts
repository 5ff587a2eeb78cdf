/** What invariants can read of a run. */

import type { Audit } from "../audit/audit.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import type { Member } from "./client-exchange.ts";
import type { TraceReader } from "./trace.ts";

/** What the client saw of a run. */
export interface Log {
  readonly trace: TraceReader;
  /** Whether the times in the trace are exactly those at which the service answered. */
  readonly isExactTime: boolean;
  /** The choices in force now. Undefined for another service. */
  readonly assumptions: Assumptions | undefined;
  /** The world's audit. Inconclusive for another service. */
  audit(): Audit;
}

/** A world, and what was done to it. */
export interface Played extends Omit<Log, "audit"> {
  /** Why the trace doesn't explain the whole state; undefined if it does. */
  readonly gap?: string | undefined;
  /** Publishers to try the invariants on, as they are now. */
  readonly members: readonly Member[];
  /** The world as it is now, or why it can't be copied. */
  readonly world: PlayedWorld | string;
}

/** Invariants copy and audit it, and never change it. */
export type PlayedWorld = Pick<SimulatorCore, "audit" | "fork">;
