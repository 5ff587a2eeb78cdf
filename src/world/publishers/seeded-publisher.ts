/** What the seed, or a sign-up, decides about a publisher. Data only. */

import type { Day } from "../../base/calendar.ts";

/**
 * A surface's terms. `cpmPaise` bounds the price of a thousand impressions, in paise. `cpcMicros` is the price of a click, in
 * micro-INR.
 */
export interface SurfaceTerms {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpmPaise: readonly [lower: number, upper: number];
  readonly cpcMicros: number;
}

/** A publisher before anything has happened to it. */
export interface SeededPublisher {
  readonly ordinal: number;
  readonly joined: Day;
  readonly surfaces: readonly SurfaceTerms[];
}

/** What a publisher said when it signed up. */
export interface SignUp {
  readonly name: string;
  readonly joined: Day;
  readonly surfaces: readonly Pick<SurfaceTerms, "name" | "status" | "cpmPaise">[];
}
