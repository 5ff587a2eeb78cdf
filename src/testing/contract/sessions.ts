/** Runs the sessions of a contract, once for all rules. What breaks a rule is shrunk to the shortest session that still does. */

import fc from "fast-check";
import type { Simulator } from "../../adapters/create-simulator.ts";
import { formatList } from "../../base/did-you-mean.ts";
import type { CreateDriver } from "../driver/driver.ts";
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
  /** Undecided: nothing in the sessions concerned it. */
  | { readonly kind: "passed" | "undecided" }
  | { readonly kind: "skipped"; readonly why: string }
  | { readonly kind: "failed"; readonly path: string; readonly at: Found }
  /** Its judge threw. */
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

/**
 * Runs all sessions. Each rule that one of them breaks is then shrunk on its own.
 *
 * @throws InputError for a driver that can't be one.
 */
export async function tryRules<Impression>(
  rules: readonly Rule[],
  createDriver: CreateDriver<Impression>,
  options: SessionsOptions,
): Promise<ReadonlyMap<string, Tried>> {
  const made = plan(rules, createDriver, options);
  const { tried, broken } = await judgeAll(rules, made, options);
  for (const [rule, { path }] of broken)
    tried.set(rule.id, {
      kind: "failed",
      ...(await shrunk(rule, made, options.sequenceSeed, path)),
    });
  return tried;
}

interface FirstBreach {
  readonly rule: string;
  readonly why: string;
  /** The number of the session, from 0. */
  readonly run: number;
  readonly trial: Trial;
}

/** The first session that breaks a rule, as it was drawn. */
export async function firstBreach<Impression>(
  rules: readonly Rule[],
  createDriver: CreateDriver<Impression>,
  options: SessionsOptions,
): Promise<FirstBreach | undefined> {
  const made = plan(rules, createDriver, options);
  const { broken } = await judgeAll(rules, made, options, "stop at the first breach");
  const [first] = broken;
  if (first === undefined) return undefined;
  const [{ id }, { path, trial, breach }] = first;
  return { rule: id, why: breach.why, run: Number(path), trial };
}

interface Broken {
  /** fast-check's path to the session. */
  readonly path: string;
  readonly trial: Trial;
  readonly breach: Breach;
}

interface Judged {
  readonly tried: Map<string, Tried>;
  readonly broken: ReadonlyMap<Rule, Broken>;
}

/** Runs each session once, and has every rule judge it that isn't broken yet. */
async function judgeAll(
  rules: readonly Rule[],
  { trials, run }: Plan,
  { runs, sequenceSeed: seed, path }: SessionsOptions,
  until: "all sessions have run" | "stop at the first breach" = "all sessions have run",
): Promise<Judged> {
  const open = new Set(rules);
  const came = new Set<Rule>();
  const broken = new Map<Rule, Broken>();
  const tried = new Map<string, Tried>();
  let number = 0;
  const judgeSession = async (trial: Trial): Promise<boolean> => {
    const told = toldOf((await run(trial)).session);
    for (const rule of open) {
      const why = unmetNeeds(rule, told);
      if (why !== undefined) tried.set(rule.id, { kind: "skipped", why });
      try {
        const breach = why === undefined ? judged(rule, told, () => came.add(rule)) : undefined;
        if (breach !== undefined) broken.set(rule, { path: path ?? String(number), trial, breach });
      } catch (error) {
        tried.set(rule.id, { kind: "error", error });
      }
      if (tried.has(rule.id) || broken.has(rule)) open.delete(rule);
    }
    number += 1;
    return until === "all sessions have run" || broken.size === 0;
  };
  const { errorInstance } = await fc.check(fc.asyncProperty(trials, judgeSession), {
    ...{ seed, numRuns: runs, endOnFailure: true },
    ...(path !== undefined && { path }),
  });
  if (broken.size === 0 && errorInstance !== undefined && errorInstance !== null)
    throw errorInstance;
  for (const rule of open) tried.set(rule.id, { kind: came.has(rule) ? "passed" : "undecided" });
  return { tried, broken };
}

/** Why the rule can't be tried on this driver; undefined if it can. */
function unmetNeeds({ needs = [] }: Rule, { members, isReal }: Told): string | undefined {
  if (isReal && needs.includes("virtualTime")) return 'time is real with the transport "http"';
  const missing = needs.filter((name) => name !== "virtualTime" && !members.includes(name));
  return missing.length === 0 ? undefined : `the driver has no ${formatList(missing, "and no")}`;
}

interface Plan {
  readonly trials: fc.Arbitrary<Trial>;
  run(trial: Trial): Promise<Ran>;
}

function plan<Impression>(
  rules: readonly Rule[],
  createDriver: CreateDriver<Impression>,
  { runs: _, sequenceSeed: __, path: ___, ...world }: SessionsOptions,
): Plan {
  const { assumptions = {}, timeZone, globals, transport } = world;
  const trials = arbitraryTrial({
    assumptions,
    isReal: transport === "http",
    variesTimeZone: globals === "replaced" && timeZone === undefined && canSetTimeZone(),
    own: rules.flatMap(({ commands }) => commands ?? []),
  });
  const run: Plan["run"] = ({ commands, choices, timeZone: zone = timeZone }) =>
    runToEnd(createDriver, commands, {
      ...world,
      assumptions: { ...choices, ...assumptions },
      timeZone: zone,
    });
  return { trials, run };
}

/** So many sessions are tried to find a shorter one. */
const MAX_SHRINKS = 600;

async function shrunk(
  rule: Rule,
  { trials, run }: Plan,
  seed: number,
  path: string,
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
  const { counterexamplePath } = await fc.check(property, { seed, path, numRuns: 1 });
  if (found === undefined)
    throw new Error(
      `${rule.id} is broken in one run of a session and not in the next. Clients must be made anew for each session, and share nothing.`,
    );
  return { path: counterexamplePath ?? path, at: found };
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
