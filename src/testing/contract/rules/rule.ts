/** A rule that any client of the API has to keep, as something that can be tried: sequences that come near it, and a judge. */

import type fc from "fast-check";
import { withoutSecrets } from "../../../journal/secrets.ts";
import type { Expectation } from "../../../play/language/scenario.ts";
import type { Readings } from "../../../simulator/simulator-options.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import type { Driver } from "../../driver/driver.ts";
import type { Command } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";

export interface Rule {
  /** What `skip` and a replay know it by: words with hyphens. */
  readonly id: string;
  /** The rule in a sentence: a test's name. */
  readonly says: string;
  /** What it rests on, such as "spec §4". */
  readonly source: string;
  /** The driver's methods, beside `impression`, without which it can't be tried. @default none */
  readonly needs?: readonly Exclude<keyof Driver, "impression">[] | undefined;
  /** Readings that it is about, in place of the contract's: each sequence is tried under one of these. @default none */
  readonly assuming?: readonly Readings[] | undefined;
  /** Sequences that come near it. They shrink to the shortest that still breaks it. */
  readonly commands: (assumptions: Assumptions) => fc.Arbitrary<readonly Command[]>;
  /**
   * Judges a finished life.
   *
   * @returns how often it applied: of 0 the session says nothing.
   * @throws BrokenRule
   */
  readonly judge: (session: Session) => number;
}

/** A client that broke a rule. */
export class BrokenRule extends Error {
  override readonly name = "BrokenRule";
  /** What the service would have on record, had it not: a scenario of the session expects it. */
  readonly expectations: readonly Expectation[];

  /** @param message Both sides: what was expected, and what there was instead. Secrets are taken out of it. */
  constructor(message: string, expectations: readonly Expectation[] = []) {
    super(withoutSecrets(message));
    this.expectations = expectations;
  }
}

/**
 * @param expectations What the service would have on record, had the rule been kept.
 * @throws BrokenRule unless it holds.
 */
export function must(
  holds: boolean,
  otherwise: () => string,
  expectations: () => readonly Expectation[] = () => [],
): asserts holds {
  if (!holds) throw new BrokenRule(otherwise(), expectations());
}

/** So many events of a kind more, or fewer, on record in the end: what a scenario of the session then expects. */
export function onRecord(
  { sim }: Session,
  operation: "impression" | "click",
  difference: number,
): readonly Expectation[] {
  const kind = operation === "impression" ? "impressions" : "clicks";
  const applied = sim.audit().total[kind].applied + difference;
  return [{ audit: { total: { [kind]: { applied } } } }];
}
