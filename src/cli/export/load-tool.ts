/** What a load generator is given of a scenario, and what it makes of it. Each tool is a file beside this one. */

import type { Traffic } from "../../play/traffic/traffic.ts";
import type { GivenPublisher } from "../play/credentials.ts";

/** A publisher that sends requests. */
export interface Sender extends GivenPublisher {
  readonly ordinal: number;
}

/** A traffic step of the scenario, with the publishers that send its requests. */
export interface PlannedTraffic {
  readonly traffic: Traffic;
  /** The step's `as`. */
  readonly name: string | undefined;
  /** The world's time at which it begins. */
  readonly startMs: number;
  readonly senders: readonly Sender[];
}

export interface LoadPlan {
  readonly scenario: string;
  readonly seed: string;
  /** In order; at least one. */
  readonly steps: readonly PlannedTraffic[];
  readonly thresholds: readonly string[];
  /** The base URL, without a slash at the end. */
  readonly target: string;
  /** Where the load is written to; undefined for standard output. */
  readonly out: string | undefined;
}

export interface LoadFile {
  /** Undefined for standard output. */
  readonly file: string | undefined;
  readonly content: string;
}

export interface Load {
  /** In the order in which they are written. */
  readonly files: readonly LoadFile[];
  /** What only the tool knows that it leaves out. */
  readonly leftOut?: readonly string[];
  /** The line for a shell that runs it. */
  readonly runLine: string;
}

/** What a tool can't do, although the scenario asks for it. */
export interface ToolLimits {
  /** Parts of traffic that are left out. */
  readonly lacks: readonly TrafficPart[];
  /** Whether its requests are mixed from all traffic steps. */
  readonly mixesSteps: boolean;
  /** Whether all its requests have the same timeout. */
  readonly hasOneTimeout: boolean;
  /** What to do about the scenario's thresholds; undefined if the load has them. */
  readonly aboutThresholds: string | undefined;
}

export type TrafficPart = "clicks" | "repeatedSessions" | "poisson";

export interface LoadTool {
  readonly limits: ToolLimits;
  /** @throws CommandFailure if it can't be written there. */
  readonly load: (plan: LoadPlan) => Load;
}

/** How a file is named in a command if the load goes to standard output. */
export const UNNAMED_FILE = "FILE";
