/** Plays a scenario from its first step to its last, on any target. */

import { ordinalsIn } from "../scenario/references.ts";
import type { Scenario } from "../scenario/types.ts";
import { choicesToMake } from "../targets/service-plan.ts";
import type { Target } from "../targets/target.ts";
import type { Turns } from "../targets/turns.ts";
import { conclude } from "./conclude.ts";
import { judgeRun } from "./expectations.ts";
import type { PlayResult } from "./result.ts";
import {
  createRun,
  loadMembers,
  noteFiredRules,
  type Run,
  recordRule,
  type Sending,
} from "./run.ts";
import { NEEDS_CONTROL, playStep } from "./steps.ts";

interface PlayOptions {
  readonly turns: Turns;
  readonly sending?: Sending | undefined;
  /** The command that plays the scenario again. */
  readonly reproduce: string;
  /** Called before each top-level step with its index, from 0, and the number of steps. */
  readonly onStep?: ((index: number, count: number) => void) | undefined;
}

/** Plays a parsed scenario. @throws InputError (as a rejection) that names the step that the target rejects. */
export async function play(
  scenario: Scenario,
  target: Target,
  { turns, sending = {}, reproduce, onStep }: PlayOptions,
): Promise<PlayResult> {
  const run = createRun(scenario, target, turns, sending);
  const { steps, expectations = [] } = scenario;
  // Publisher 0 sends where a step names none.
  await loadMembers(run, new Set([0, ...ordinalsIn(scenario)]));
  await seeFirstRules(run);
  run.skipped.push(...skippedSettings(run));
  for (const [index, step] of steps.entries()) {
    onStep?.(index, steps.length);
    await playStep(run, step, `steps.${index}`);
    if (isStopped(run)) break;
  }
  for (const [index, expect] of expectations.entries()) {
    if (!isStopped(run)) await playStep(run, { expect }, `expectations.${index}`);
  }
  await noteFiredRules(run);
  const invariants = await judgeRun(run);
  return conclude(run, { reproduce, invariants });
}

/** Where the first step can't be done, the others would say nothing. */
function isStopped({ results }: Run): boolean {
  return results.get("steps.0")?.result === "skipped";
}

/** Notes the rules that are installed from the start. The world may have given them their ids. */
async function seeFirstRules(run: Run): Promise<void> {
  const { scenario, target } = run;
  const { faults = [] } = scenario;
  if (faults.length === 0 || target.control === undefined) return;
  const there = await target.control.rules();
  for (const [index, rule] of faults.entries()) {
    recordRule(run, rule, there[index]?.id ?? `faults.${index}`, `faults.${index}`);
  }
}

/** The settings that another service can't apply. Seed, population and profile are left out: any data will do. */
function skippedSettings({ scenario, target }: Run): Run["skipped"] {
  const { start, assumptions = {}, faults = [] } = scenario;
  if (target.control !== undefined) return [];
  const choices = choicesToMake(assumptions, target.knownChoices).join(" and ");
  const why = `the target isn't known to choose ${choices}: say so with --assume`;
  return [
    ...(start === undefined ? [] : [{ path: "start", why: "the target has its own time" }]),
    ...(choices === "" ? [] : [{ path: "assumptions", why }]),
    ...faults.map((_, index) => ({ path: `faults.${index}`, why: NEEDS_CONTROL })),
  ];
}
