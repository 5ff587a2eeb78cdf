/** Tries a rule on a client with random sequences. A sequence that breaks it is shrunk to the shortest that still does. */

import fc from "fast-check";
import { InputError } from "../../base/input.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import type { CreateDriver } from "../driver/driver.ts";
import { type TestWorldOptions, worldOptionNames } from "../driver/test-world.ts";
import { canSetTimeZone } from "../driver/time-zone.ts";
import { checkNames } from "../options.ts";
import { type Command, withShortWait } from "../session/command.ts";
import { runToEnd } from "../session/run-session.ts";
import type { Session } from "../session/session.ts";
import { errorInWords, valueInWords } from "../session/words.ts";
import { REAL_WAIT_MS } from "../time/real-time.ts";
import { checkRule } from "./check-rule.ts";
import { membersOf, unmetNeeds } from "./driver-members.ts";
import { BrokenRule, choicesFor, type Rule } from "./rules/rule.ts";
import { mustNotThrow, mustOpen } from "./rules/shared-checks.ts";

export interface TryOptions extends TestWorldOptions {
  /** How many sequences are tried. @default 20 */
  readonly runs?: number | undefined;
  /** The seed of the sequences: a whole number. @default 1 */
  readonly sequenceSeed?: number | undefined;
  /** fast-check's path to the sequence of a failure, to replay it alone. @default all sequences */
  readonly path?: string | undefined;
}

export type Tried =
  | { readonly kind: "held"; readonly applied: number }
  /** It never came up, so it is untested. */
  | { readonly kind: "unknown"; readonly runs: number }
  /** The driver lacks something that the rule needs, or shows that it can't come up. */
  | { readonly kind: "skipped"; readonly why: string }
  | BrokenTrial;

export interface BrokenTrial {
  readonly kind: "broken";
  readonly broken: BrokenRule;
  /** The shortest sequence found that breaks the rule. */
  readonly commands: readonly Command[];
  /** The choices under which it was tried. */
  readonly assumptions: Assumptions;
  /** The machine's time zone; undefined if it was left as it is. */
  readonly timeZone: string | undefined;
  readonly session: Session;
  readonly sequenceSeed: number;
  readonly path: string;
}

/** @throws InputError for an invalid option or rule, and any error other than a broken rule. */
export async function tryRule<Impression>(
  rule: Rule,
  createDriver: CreateDriver<Impression>,
  options: TryOptions = {},
): Promise<Tried> {
  checkNames(options, [...worldOptionNames, "runs", "sequenceSeed", "path"]);
  checkRule("rule", rule, options.assumptions);
  const { runs = 20, sequenceSeed = 1, path, ...world } = options;
  if (rule.needsVirtualTime === true && world.transport === "http")
    return {
      kind: "skipped",
      why: 'it needs virtual time, and with the transport "http" time is real',
    };
  if (rule.needs !== undefined && rule.needs.length > 0) {
    const why = unmetNeeds(rule, await membersOf(createDriver, world));
    if (why !== undefined) return { kind: "skipped", why };
  }
  const runTrial = ({ commands, assumptions, timeZone }: Trial): Promise<Session> =>
    runToEnd(createDriver, commands, { ...world, assumptions, timeZone });
  let applied = 0;
  let last: { readonly trial: Trial; readonly session: Session } | undefined;
  const property = fc.asyncProperty(trialsOf(rule, world), async (trial) => {
    const session = await runTrial(trial);
    last = { trial, session };
    applied += judged(rule, session);
  });
  const details = await fc.check(property, {
    seed: sequenceSeed,
    numRuns: runs,
    ...(path === undefined ? {} : { path }),
  });
  if (!details.failed) {
    if (applied > 0) return { kind: "held", applied };
    const why = last && rule.whyNever?.(last.session, await membersOf(createDriver, world));
    // A replay of one sequence proves nothing.
    return why === undefined || path !== undefined
      ? { kind: "unknown", runs: details.numRuns }
      : { kind: "skipped", why };
  }
  const { errorInstance: broken, counterexamplePath } = details;
  const [trial] = details.counterexample ?? [];
  if (!(broken instanceof BrokenRule) || trial === undefined) throw broken;
  // The last trial isn't always the shortest one that broke the rule.
  const session = last?.trial === trial ? last.session : await runTrial(trial);
  return {
    kind: "broken",
    broken,
    ...trial,
    session,
    sequenceSeed,
    path: counterexamplePath ?? "",
  };
}

/**
 * Judges a session by a rule.
 *
 * @returns how often the rule came up.
 * @throws BrokenRule, or an Error that says what is wrong with the rule's judge.
 */
function judged(rule: Rule, session: Session): number {
  mustNotThrow(session);
  mustOpen(session);
  let applied: unknown;
  try {
    applied = rule.judge(session);
  } catch (error) {
    if (error instanceof BrokenRule) throw error;
    throw new Error(
      `The judge of ${rule.id} threw ${errorInWords(error)}. For a client that breaks the rule, it must call must() or throw a BrokenRule.`,
      { cause: error },
    );
  }
  if (typeof applied === "number" && Number.isInteger(applied) && applied >= 0) return applied;
  // Nobody awaits it. Unhandled, a rejection would end the process.
  if (applied instanceof Promise) applied.catch(() => undefined);
  throw new Error(
    `The judge of ${rule.id} must return how often the rule came up: 0, 1, 2, … It returned ${applied instanceof Promise ? "a promise" : valueInWords(applied)}.`,
  );
}

interface Trial {
  readonly assumptions: Assumptions;
  readonly commands: readonly Command[];
  readonly timeZone: string | undefined;
}

/** Both sides of UTC, both sides of the date line, and clocks that change by an hour and by half an hour. */
const timeZones = [
  "UTC",
  "Asia/Kolkata",
  "America/Los_Angeles",
  "Pacific/Kiritimati",
  "Australia/Lord_Howe",
] as const;

/**
 * A sequence, the choices to try it under, and the machine's time zone where that can be set. They shrink to the first of the rule's choices,
 * and to UTC.
 */
function trialsOf(rule: Rule, world: TestWorldOptions): fc.Arbitrary<Trial> {
  const { assumptions: contract, globals, timeZone } = world;
  const isReal = world.transport === "http";
  const [first = {}, ...others] = choicesFor(rule, contract);
  const under = (choice: Choices): fc.Arbitrary<Trial> => {
    const assumptions = resolveAssumptions(choice);
    return rule.commands(assumptions).map((commands) => {
      if (Array.isArray(commands)) {
        const shortened = isReal
          ? commands.map((one) => withShortWait(one, REAL_WAIT_MS / 1000))
          : commands;
        return { assumptions, commands: shortened, timeZone };
      }
      throw new InputError(
        "commands",
        `of ${rule.id} must return an arbitrary of lists of commands`,
      );
    });
  };
  const trials =
    others.length === 0 ? under(first) : fc.constantFrom(first, ...others).chain(under);
  if (globals !== "replaced" || timeZone !== undefined || !canSetTimeZone()) return trials;
  return fc
    .tuple(trials, fc.constantFrom(...timeZones))
    .map(([trial, zone]) => ({ ...trial, timeZone: zone }));
}
