/** A rule that every client of the API has to keep. Our own rules and those that users write are of this type. */

import type fc from "fast-check";
import type { Expectation } from "../../../play/scenario/types.ts";
import type { EventKind } from "../../../spec/operations.ts";
import type { Driver } from "../../driver/driver.ts";
import type { Command } from "../../session/command.ts";
import type { Told } from "../../session/told.ts";

export interface Rule {
  /** The name for `skip`, `only` and replays: words with hyphens. */
  readonly id: string;
  /** The rule in a sentence. It is part of the test's name. */
  readonly says: string;
  /** The source of the rule, such as "spec §4". */
  readonly source: string;
  /**
   * The driver's methods and promises that it needs, besides `impression`: without them it is skipped. With `virtualTime` it is
   * skipped over HTTP, where time is real.
   *
   * @default none
   */
  readonly needs?: readonly (Exclude<keyof Driver, "impression"> | "virtualTime")[] | undefined;
  /**
   * Judges a finished session. It sees every session of the contract, and has to be right for each: whatever was asked of the
   * client, whatever faults and choices there were.
   *
   * @param came Call it where the client could have broken the rule. If nothing ever does, the result is undecided.
   * @returns what is wrong: what was expected, and what was found instead. Undefined if nothing is.
   */
  judge(told: Told, came: () => void): string | Breach | undefined;
  /** Further sessions, for what the contract's own never do. They are drawn in turn with those. @default none */
  readonly commands?: fc.Arbitrary<readonly Command[]> | undefined;
}

/** What is wrong, and what the service would have recorded if the rule had been kept: the failure's scenario expects that. */
export interface Breach {
  readonly why: string;
  readonly expectations?: readonly Expectation[] | undefined;
}

/** Expects this many more events on record than there are; fewer if `difference` is negative. */
export function expecting(
  why: string,
  { world: { recorded } }: Pick<Told, "world">,
  kind: EventKind,
  difference: number,
): Breach {
  const name = kind === "impression" ? "impressions" : "clicks";
  const applied = recorded[name] + difference;
  return { why, expectations: [{ audit: { total: { [name]: { applied } } } }] };
}
