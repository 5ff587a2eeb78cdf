/** The settings of a world, as the code uses them and as they are written in files. Other forms derive from these. */

import { formatInstant } from "../../base/calendar.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { nonDefaultChoices } from "../../spec/assumptions/resolve.ts";
import type { Profile } from "./profiles.ts";

/** Everything that determines a world's behaviour, apart from its clock and accounts. */
export interface WorldSettings {
  readonly seed: string;
  readonly startMs: number;
  /** How many seeded publishers there are. */
  readonly publishers: number;
  readonly profile: Profile;
  readonly assumptions: Assumptions;
}

/** With the same clock and the same requests, a world with these settings gives the same answers. */
export interface WorldDescription extends Omit<WorldSettings, "startMs" | "assumptions"> {
  /** When its clock starts, in ISO 8601. */
  readonly start: string;
  /** The choices in force that aren't the defaults. */
  readonly assumptions: Partial<Assumptions>;
}

/** Frozen, so that all records of a world can share it. */
export function describeWorld({ startMs, ...settings }: WorldSettings): WorldDescription {
  const { seed, publishers, profile } = settings;
  const assumptions = Object.freeze(nonDefaultChoices(settings.assumptions));
  return Object.freeze({ seed, start: formatInstant(startMs), publishers, profile, assumptions });
}
