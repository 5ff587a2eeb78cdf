/** Runs the sessions of a contract, once for all rules. What breaks a rule is shrunk to the shortest session that still does. */

import fc from "fast-check";
import type { Simulator } from "../../adapters/create-simulator.ts";
import { InputError } from "../../base/input.ts";
import { type CreateDriver, checkedDriver, membersOf } from "../driver/driver.ts";
import { promisesOf } from "../driver/promises.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import { canSetTimeZone } from "../driver/time-zone.ts";
import { runToEnd } from "../session/run-session.ts";
import type { Session } from "../session/session.ts";
import { type Told, toldOf } from "../session/told.ts";
import { errorInWords, valueInWords } from "../session/words.ts";
import type { Breach, Rule } from "./rules/rule.ts";
import { arbitraryTrial, type Trial } from "./workload.ts";

export interface SessionsOptions extends TestWorldOptions {
  /** How many sessions. */
  readonly runs: number;
  /** The seed of the sessions: a whole number. */
  readonly sequenceSeed: number;
  /** fast-check's path to one session, to run it alone. @default all sessions */
  readonly path?: string | undefined;
}

/** What came of a rule. */
export type Tried =
  | { readonly kind: "passed" }
  /** Nothing in the sessions concerned it. */
  | { readonly kind: "undecided" }
  | { readonly kind: "failed"; readonly path: string; readonly at: Found }
  /** It can't be judged: the driver can't be made, or the judge threw. */
  | { readonly kind: "error"; readonly error: unknown };

/** A session that breaks a rule. */
export interface Found extends Ran {
  readonly trial: Trial;
  readonly breach: Breach;
}

interface Ran {
  readonly session: Session;
  readonly sim: Simulator;
}

/** Runs all sessions. Each rule that one of them breaks is then shrunk on its own. */
export async function tryRules<Impression>(
  rules: readonly Rule[],
  createDriver: CreateDriver<Impression>,
  options: SessionsOptions,
): Promise<ReadonlyMap<string, Tried>> {
  const { runs, sequenceSeed: seed, path } = options;
  const { trials, run } = plan(rules, createDriver, options);
  const open = new Set(rules);
  const came = new Set<Rule>();
  const broken = new Map<Rule, string>();
  const tried = new Map<string, Tried>();
  let number = 0;
  const all = fc.asyncProperty(trials, async (trial) => {
    const told = toldOf((await run(trial)).session);
    for (const rule of open) {
      try {
        if (judged(rule, told, () => came.add(rule)) === undefined) continue;
        broken.set(rule, path ?? String(number));
      } catch (error) {
        tried.set(rule.id, { kind: "error", error });
      }
      open.delete(rule);
    }
    number += 1;
  });
  await assertRun(all, { seed, numRuns: runs, ...(path !== undefined && { path }) });
  for (const [rule, at] of broken) {
    const found = await shrunk(rule, trials, run, { seed, path: at });
    tried.set(rule.id, { kind: "failed", ...found });
  }
  for (const rule of open) tried.set(rule.id, { kind: came.has(rule) ? "passed" : "undecided" });
  return tried;
}

/** The first breach of any rule, unshrunk. */
export async function firstBreach<Impression>(
  rules: readonly Rule[],
  createDriver: CreateDriver<Impression>,
  options: SessionsOptions,
): Promise<{ rule: string; why: string; run: number; trial: Trial } | undefined> {
  const { trials, run } = plan(rules, createDriver, options);
  let found: { rule: string; why: string; run: number; trial: Trial } | undefined;
  let number = 0;
  const property = fc.asyncProperty(trials, async (trial) => {
    const told = toldOf((await run(trial)).session);
    for (const rule of rules) {
      if (rule.needs?.every((name) => told.members.includes(name)) === false) continue;
      const breach = judged(rule, told, () => undefined);
      if (breach === undefined) continue;
      found = { rule: rule.id, why: breach.why, run: number, trial };
      return false;
    }
    number += 1;
    return true;
  });
  const details = await fc.check(property, {
    seed: options.sequenceSeed,
    numRuns: options.runs,
    endOnFailure: true,
  });
  if (found === undefined && details.failed) throw details.errorInstance;
  return found;
}

type RunTrial = (trial: Trial) => Promise<Ran>;

function plan<Impression>(
  rules: readonly Rule[],
  createDriver: CreateDriver<Impression>,
  { runs: _, sequenceSeed: __, path: ___, ...world }: SessionsOptions,
): { readonly trials: fc.Arbitrary<Trial>; readonly run: RunTrial } {
  const { assumptions = {}, timeZone, globals, transport } = world;
  const trials = arbitraryTrial({
    assumptions,
    isReal: transport === "http",
    variesTimeZone: globals === "replaced" && timeZone === undefined && canSetTimeZone(),
    own: rules.flatMap(({ commands }) => commands ?? []),
  });
  const run: RunTrial = ({ commands, choices, timeZone: zone = timeZone }) =>
    runToEnd(createDriver, commands, {
      ...world,
      assumptions: { ...choices, ...assumptions },
      timeZone: zone,
    });
  return { trials, run };
}

/** @throws whatever the property does: it never just fails. */
async function assertRun(
  property: fc.IAsyncProperty<[Trial]>,
  parameters: fc.Parameters<[Trial]>,
): Promise<void> {
  const { failed, errorInstance } = await fc.check(property, { ...parameters, endOnFailure: true });
  if (failed) throw errorInstance;
}

/** So many sessions are tried to find a shorter one. */
const MAX_SHRINKS = 600;

async function shrunk(
  rule: Rule,
  trials: fc.Arbitrary<Trial>,
  run: RunTrial,
  parameters: { readonly seed: number; readonly path: string },
): Promise<{ readonly path: string; readonly at: Found }> {
  let found: Found | undefined;
  let left = MAX_SHRINKS;
  const property = fc.asyncProperty(trials, async (trial) => {
    left -= 1;
    if (left < 0) return true;
    const ran = await run(trial);
    const breach = judged(rule, toldOf(ran.session), () => undefined);
    if (breach !== undefined) found = { ...ran, trial, breach };
    return breach === undefined;
  });
  const { counterexamplePath } = await fc.check(property, { ...parameters, numRuns: 1 });
  if (found === undefined)
    throw new Error(
      `${rule.id} is broken in one run of a session and not in the next. Clients must be made anew for each session, and share nothing.`,
    );
  return { path: counterexamplePath ?? parameters.path, at: found };
}

/** @throws Error that says what is wrong with the rule's judge. */
function judged(rule: Rule, told: Told, came: () => void): Breach | undefined {
  let found: unknown;
  try {
    found = rule.judge(told, came);
  } catch (error) {
    throw new Error(
      `The judge of ${rule.id} threw ${errorInWords(error)}. It must return what is wrong.`,
      {
        cause: error,
      },
    );
  }
  if (found === undefined) return undefined;
  if (typeof found === "string") return { why: found };
  if (typeof found === "object" && found !== null && "why" in found) return found as Breach;
  // Nobody awaits it. Unhandled, a rejection would end the process.
  if (found instanceof Promise) found.catch(() => undefined);
  throw new Error(
    `The judge of ${rule.id} must return what is wrong in words, or undefined. It returned ${found instanceof Promise ? "a promise" : valueInWords(found)}.`,
  );
}

/**
 * The names of the methods that the client's driver has, and of what it promises.
 *
 * @throws InputError for a driver that can't be one.
 */
export async function driverMembers<Impression>(
  createDriver: CreateDriver<Impression>,
  world: TestWorldOptions,
): Promise<readonly string[]> {
  let thrown: unknown;
  const { session } = await runToEnd(
    async (context) => {
      try {
        const driver = checkedDriver(await createDriver(context));
        promisesOf(driver);
        return driver;
      } catch (error) {
        thrown = error;
        throw error;
      }
    },
    [],
    world,
  );
  if (thrown instanceof InputError) throw thrown;
  return thrown === undefined ? session.members : membersOf(undefined);
}
