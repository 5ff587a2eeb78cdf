/** A rule that every client of the API has to keep: an arbitrary of sequences that provoke it, and a judge. */

import type fc from "fast-check";
import type { Expectation } from "../../../play/scenario/types.ts";
import type { Choices } from "../../../simulator/simulator-options.ts";
import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import type { EventKind } from "../../../spec/operations.ts";
import type { Driver } from "../../driver/driver.ts";
import type { Command } from "../../session/command.ts";
import type { Session } from "../../session/session.ts";

export interface Rule {
  /** The name for `skip` and replays: words with hyphens. */
  readonly id: string;
  /** The rule in a sentence. It is part of the test's name. */
  readonly says: string;
  /** The source of the rule, such as "spec §4". */
  readonly source: string;
  /** The driver's methods and promises that it needs, besides `impression`. @default none */
  readonly needs?: readonly Exclude<keyof Driver, "impression">[] | undefined;
  /**
   * Whether it is skipped with the transport "http", where time is real: sessions would take minutes, or a client would
   * have to know the service's date.
   *
   * @default false
   */
  readonly needsVirtualTime?: boolean | undefined;
  /** Choices that override the contract's: each sequence is tried under one of these. @default none */
  readonly assuming?: readonly Choices[] | undefined;
  /** As `assuming`, but the contract's own choices override these: its user knows the service. @default none */
  readonly unlessAssumed?: readonly Choices[] | undefined;
  /** Sequences that may break it. They shrink to the shortest that does. */
  readonly commands: (assumptions: Assumptions) => fc.Arbitrary<readonly Command[]>;
  /**
   * Why it may never come up with this client: `session` has what the driver promises, `members` the names of its methods.
   * Then the rule is skipped, and doesn't fail as unknown. @default it has to come up
   */
  readonly whyNever?:
    | ((session: Session, members: ReadonlySet<string>) => string | undefined)
    | undefined;
  /**
   * Judges a finished session.
   *
   * @returns how often the rule came up. 0: the session proves nothing.
   * @throws BrokenRule
   */
  readonly judge: (session: Session) => number;
}

/** The choices to try a rule under: at least one element. */
export function choicesFor(
  { assuming = [], unlessAssumed = [] }: Pick<Rule, "assuming" | "unlessAssumed">,
  contract: Choices = {},
): readonly Choices[] {
  const choices = [
    ...assuming.map((one) => ({ ...contract, ...one })),
    ...unlessAssumed.map((one) => ({ ...one, ...contract })),
  ];
  return choices.length === 0 ? [contract] : choices;
}

/** For a rule about requests that are sent again. */
export function neverRepeats({ promised }: Session): string | undefined {
  return promised.maxAttempts > 1
    ? undefined
    : "the driver promises `maxAttempts: 1`, and its client sent nothing again";
}

/** A client that broke a rule. */
export class BrokenRule extends Error {
  override readonly name = "BrokenRule";
  /** What the service would have recorded if the rule had been kept. The failure's scenario expects it. */
  readonly expectations: readonly Expectation[];

  /** @param message What was expected, and what was found instead. */
  constructor(message: string, expectations: readonly Expectation[] = []) {
    super(message);
    this.expectations = expectations;
  }
}

/**
 * @param expectations What the service would have recorded if the rule had been kept.
 * @throws BrokenRule unless it holds.
 */
export function must(
  holds: boolean,
  otherwise: () => string,
  expectations: () => readonly Expectation[] = () => [],
): asserts holds {
  if (!holds) throw new BrokenRule(otherwise(), expectations());
}

/** Expects this many more events on record than there are; fewer if `difference` is negative. */
export function onRecord(
  { sim }: Session,
  operation: EventKind,
  difference: number,
): readonly Expectation[] {
  const kind = operation === "impression" ? "impressions" : "clicks";
  const applied = sim.audit().total[kind].applied + difference;
  return [{ audit: { total: { [kind]: { applied } } } }];
}
