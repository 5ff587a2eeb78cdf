/** Tries a rule on a client: random sequences that come near it, and of one that breaks it the shortest that still does. */

import fc from "fast-check";
import type { Readings } from "../../simulator/simulator-options.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { checkOptions, type OptionEntries, unchecked, wholeBetween } from "../check-options.ts";
import type { CreateDriver } from "../driver/driver.ts";
import { type TestWorldOptions, worldEntries } from "../driver/test-world.ts";
import type { Command } from "../session/command.ts";
import { runToEnd } from "../session/run-session.ts";
import type { Session } from "../session/session.ts";
import { BrokenRule, type Rule } from "./rules/rule.ts";
import { mustNotThrow, mustOpen } from "./rules/shared-checks.ts";

export interface TryOptions extends TestWorldOptions {
  /** How many sequences are tried. @default 20 */
  readonly runs?: number | undefined;
  /** What the sequences are drawn from: a whole number. @default 1 */
  readonly sequenceSeed?: number | undefined;
  /** fast-check's path to one sequence, of a failure that is to be seen again. @default all of them */
  readonly path?: string | undefined;
}

/** What came of it. */
export type Tried =
  | { readonly kind: "held"; readonly applied: number }
  /** It never came up: nothing is known. */
  | { readonly kind: "unknown"; readonly runs: number }
  | Failed;

export interface Failed {
  readonly kind: "broken";
  readonly broken: BrokenRule;
  /** The shortest sequence found that breaks it, and what came of it. */
  readonly commands: readonly Command[];
  /** The readings that it was tried under. */
  readonly assumptions: Assumptions;
  readonly session: Session;
  readonly sequenceSeed: number;
  readonly path: string;
}

export const tryEntries: OptionEntries<TryOptions> = {
  ...worldEntries,
  runs: wholeBetween(1, 100_000, "must be a whole number from 1 to 100000"),
  sequenceSeed: wholeBetween(
    -0x7fff_ffff,
    0x7fff_ffff,
    "must be a whole number of at most 31 bits",
  ),
  path: unchecked,
};

/** @throws what isn't a broken rule: an option that is wrong, or a bug of the kit. */
export async function tryRule<Impression>(
  rule: Rule,
  createDriver: CreateDriver<Impression>,
  options: TryOptions = {},
): Promise<Tried> {
  checkOptions(options, tryEntries);
  const { runs = 20, sequenceSeed = 1, path, ...world } = options;
  const runTrial = ({ commands, assumptions }: Trial): Promise<Session> =>
    runToEnd(createDriver, commands, { ...world, assumptions });
  let applied = 0;
  let last: Trial | undefined;
  const property = fc.asyncProperty(trialsOf(rule, world.assumptions), async (trial) => {
    const session = await runTrial(trial);
    last = { ...trial, session };
    mustNotThrow(session);
    mustOpen(session);
    applied += rule.judge(session);
  });
  const details = await fc.check(property, {
    seed: sequenceSeed,
    numRuns: runs,
    ...(path === undefined ? {} : { path }),
  });
  if (!details.failed) {
    return applied > 0 ? { kind: "held", applied } : { kind: "unknown", runs: details.numRuns };
  }
  const { errorInstance: broken, counterexamplePath } = details;
  const [trial] = details.counterexample ?? [];
  if (!(broken instanceof BrokenRule) || trial === undefined) throw broken;
  // The last one that was tried isn't always the shortest that broke it.
  const isLast = last?.commands === trial.commands && last.assumptions === trial.assumptions;
  const again = isLast ? last : undefined;
  const session = again?.session ?? (await runTrial(trial));
  const { commands, assumptions } = trial;
  const replay = { sequenceSeed, path: counterexamplePath ?? "" };
  return { kind: "broken", broken, commands, assumptions, session, ...replay };
}

interface Trial {
  readonly assumptions: Assumptions;
  readonly commands: readonly Command[];
  readonly session?: Session | undefined;
}

/** A sequence with the readings that it is tried under, which shrink to the rule's first. */
function trialsOf(rule: Rule, contract: Readings | undefined): fc.Arbitrary<Trial> {
  const [first = {}, ...others] = rule.assuming ?? [];
  const under = (readings: Readings): fc.Arbitrary<Trial> => {
    const assumptions = resolveAssumptions({ ...contract, ...readings });
    return rule.commands(assumptions).map((commands) => ({ assumptions, commands }));
  };
  return others.length === 0 ? under(first) : fc.constantFrom(first, ...others).chain(under);
}
