/** What the seed decides about a publisher before anything happens to it. Data only. */

import type { Day } from "../../base/calendar.ts";

/**
 * A surface's terms. `cpmPaise`: lower and upper bound of the price of a thousand impressions. `cpcMicros`: the price of a
 * click, in micro-INR.
 */
export interface SurfaceTerms {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** Set where somebody chose the status; otherwise it is the seed's. */
  readonly statusBy?: "user" | undefined;
  readonly cpmPaise: readonly [lower: number, upper: number];
  readonly cpcMicros: number;
}

/** A publisher as the seed has it, before anything happened to it. */
export interface SeededPublisher {
  readonly ordinal: number;
  readonly joined: Day;
  readonly surfaces: readonly SurfaceTerms[];
}
