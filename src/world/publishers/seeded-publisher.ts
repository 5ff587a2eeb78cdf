/** What the seed decides about a publisher. Data only. */

import type { Day } from "../../base/calendar.ts";

/**
 * A surface's terms. `cpmPaise` bounds the price of a thousand impressions, in paise. `cpcMicros` is the price of a click, in
 * micro-INR.
 */
export interface SurfaceTerms {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** Set if a user chose the status; otherwise the seed did. */
  readonly statusBy?: "user" | undefined;
  readonly cpmPaise: readonly [lower: number, upper: number];
  readonly cpcMicros: number;
}

/** A publisher before anything has happened to it. */
export interface SeededPublisher {
  readonly ordinal: number;
  readonly joined: Day;
  readonly surfaces: readonly SurfaceTerms[];
}
