/** Runs the sessions of a contract, once for all rules. What breaks a rule is shrunk to the shortest session that still does. */

import fc from "fast-check";
import type { Simulator } from "../../adapters/create-simulator.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { orUndefined } from "../../base/text.ts";
import type { CreateDriver } from "../driver/driver.ts";
import { canSetTimeZone } from "../driver/globals.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
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
  /** Undecided: nothing in the sessions concerned it. */
  | { readonly kind: "passed" | "undecided" }
  | { readonly kind: "skipped"; readonly why: string }
  | { readonly kind: "failed"; readonly path: string; readonly at: Found };

/** A session that breaks a rule. `sim`: its world, as it is in the end. */
export interface Found {
  readonly session: Session;
  readonly sim: Simulator;
  readonly trial: Trial;
  readonly breach: Breach;
}

/**
 * Runs each session once, and has every rule judge it that isn't broken yet. A broken rule is then shrunk on its own.
 *
 * @throws InputError for a driver that can't be one, and for a path that leads nowhere.
 */
export async function tryRules(
  rules: readonly Rule[],
  createDriver: CreateDriver,
  options: SessionsOptions,
): Promise<ReadonlyMap<string, Tried>> {
  const sessions = sessionsOf(rules, createDriver, options);
  const trials = options.path === undefined ? sessions.draw() : (orUndefined(sessions.draw) ?? []);
  if (trials.length === 0)
    throw new InputError(
      "ADSIM_REPLAY",
      "names a session that isn't there: the contract's options or adsim's version have changed",
    );
  const open = new Set(rules);
  const came = new Set<Rule>();
  const broken = new Map<Rule, string>();
  const tried = new Map<string, Tried>();
  for (const [number, trial] of trials.entries()) {
    const told = toldOf((await sessions.run(trial)).session);
    for (const rule of open) {
      const why = unmetNeeds(rule, told);
      if (why !== undefined) tried.set(rule.id, { kind: "skipped", why });
      else if (breachIn(told, rule, () => came.add(rule)) !== undefined)
        broken.set(rule, options.path ?? String(number));
      else continue;
      open.delete(rule);
    }
  }
  for (const rule of open) tried.set(rule.id, { kind: came.has(rule) ? "passed" : "undecided" });
  for (const [rule, path] of broken) tried.set(rule.id, await shrunk(rule, sessions, path));
  return tried;
}

/** Why the rule can't be tried on this driver; undefined if it can. */
export function unmetNeeds({ needs = [] }: Rule, { members, isReal }: Told): string | undefined {
  if (isReal && needs.includes("virtualTime")) return 'time is real with the transport "http"';
  const missing = needs.filter((name) => name !== "virtualTime" && !members.includes(name));
  return missing.length === 0 ? undefined : `the driver has no ${formatList(missing, "and no")}`;
}

/** What breaks the rule in this session. A judge that doesn't work breaks it too, so the session that shows this is found. */
export function breachIn(told: Told, rule: Rule, came: () => void): Breach | undefined {
  let found: unknown;
  try {
    found = rule.judge(told, came);
  } catch (error) {
    return { why: `The rule's judge threw ${errorInWords(error)}.` };
  }
  if ((found ?? undefined) === undefined) return undefined;
  if (typeof found === "string") return { why: found };
  if (typeof Object(found).why === "string") return found as Breach;
  // Unhandled, a rejection would end the process.
  if (found instanceof Promise) found.catch(() => undefined);
  const what = found instanceof Promise ? "a promise" : valueInWords(found);
  return { why: `The rule's judge returned ${what}, not what is wrong in words.` };
}

type Sessions = ReturnType<typeof sessionsOf>;

/** `draw` tells what is to happen in each session. */
export function sessionsOf(
  rules: readonly Rule[],
  createDriver: CreateDriver,
  { runs, sequenceSeed: seed, path, ...world }: SessionsOptions,
) {
  const { assumptions = {}, timeZone, globals, transport } = world;
  const arbitrary = arbitraryTrial({
    assumptions,
    isReal: transport === "http",
    variesTimeZone: globals === "replaced" && timeZone === undefined && canSetTimeZone(),
    own: rules.flatMap(({ commands }) => commands ?? []),
  });
  return {
    ...{ seed, arbitrary },
    draw: () => fc.sample(arbitrary, { seed, numRuns: runs, ...(path !== undefined && { path }) }),
    run: ({ commands, choices, timeZone: zone = timeZone }: Trial) =>
      runToEnd(createDriver, commands, {
        ...world,
        assumptions: { ...choices, ...assumptions },
        timeZone: zone,
      }),
  };
}

/** So many sessions are tried to find a shorter one. */
const MAX_SHRINKS = 600;

async function shrunk(
  rule: Rule,
  { arbitrary, run, seed }: Sessions,
  path: string,
): Promise<Tried> {
  let at: Found | undefined;
  let left = MAX_SHRINKS;
  const property = fc.asyncProperty(arbitrary, async (trial) => {
    left -= 1;
    if (left < 0) return true;
    const ran = await run(trial);
    const breach = breachIn(toldOf(ran.session), rule, () => undefined);
    if (breach !== undefined) at = { ...ran, trial, breach };
    return breach === undefined;
  });
  const { counterexamplePath } = await fc.check(property, { seed, path, numRuns: 1 });
  if (at === undefined)
    throw new Error(
      `${rule.id} is broken in one run of a session and not in the next. Clients must be made anew for each session, and share nothing.`,
    );
  return { kind: "failed", path: counterexamplePath ?? path, at };
}
