/** What a load generator is given of a scenario, and what it makes of it. Each tool is a file beside this one. */

import type { Traffic } from "../../play/traffic/traffic.ts";

/** A publisher that sends requests. */
export interface Sender {
  readonly ordinal: number;
  readonly id: string;
  readonly apiKey: string;
  /** Ids. */
  readonly surfaces: readonly string[];
}

/** A traffic step of the scenario. */
export interface PlannedTraffic {
  readonly traffic: Traffic;
  /** The step's `as`. */
  readonly name: string | undefined;
  /** The world's time at which it begins, as far as it is known without playing. */
  readonly startMs: number;
  /** Its place among the traffic steps, from 0. */
  readonly number: number;
  /** The scenario's. */
  readonly seed: string;
}

export interface LoadPlan {
  /** The scenario's name. */
  readonly name: string;
  /** In order; at least one. */
  readonly steps: readonly (PlannedTraffic & { readonly senders: readonly Sender[] })[];
  readonly thresholds: readonly string[];
  /** The base URL, without a slash at the end. */
  readonly target: string;
  /** Where the load is written to; undefined for standard output. */
  readonly out: string | undefined;
}

export interface Load {
  /** In the order in which they are written. A file is undefined for standard output. */
  readonly files: readonly { readonly file: string | undefined; readonly content: string }[];
  /** What the tool can't do, although the scenario asks for it. */
  readonly leftOut: readonly string[];
  /** The line for a shell that runs it. */
  readonly runLine: string;
}

/** @throws CommandFailure if it can't be written there. */
export type LoadTool = (plan: LoadPlan) => Load;
