/** Plays a scenario from its first step to its last, on any target. */

import type { FaultRule } from "../../../faults/rule.ts";
import { kindOf } from "../../scenario/step-kind.ts";
import type { Scenario, Step } from "../../scenario/types.ts";
import { conclude } from "./conclude.ts";
import { doStep, noteFiredRules } from "./do-step.ts";
import { type Capabilities, type EffectGenerator, makesChoices, perform } from "./effects.ts";
import { judgeRun } from "./judge-invariants.ts";
import type { Sending } from "./outgoing-of.ts";
import { record, shownEntry } from "./record-step.ts";
import type { PlayResult } from "./result.ts";
import { createRun, NEEDS_CONTROL, type Run, recordRule } from "./run.ts";

export interface PlayOptions {
  readonly capabilities: Capabilities;
  readonly target: Pick<PlayResult["target"], "kind" | "url">;
  readonly sending?: Sending | undefined;
  /** The command that plays the scenario again. */
  readonly reproduce: string;
  /** Called before each top-level step with its index, from 0, and the number of steps. */
  readonly onStep?: ((index: number, count: number) => void) | undefined;
}

/** Journal entries shown with a broken step. */
const JOURNAL_ENTRIES = 6;
/** Only the first broken steps have them, because a result may have thousands of steps. */
const MAX_WITH_JOURNAL = 50;

/** Plays a parsed scenario. @throws InputError that names the step that the target rejects. */
export function* play(scenario: Scenario, options: PlayOptions): EffectGenerator<PlayResult> {
  const { capabilities, target, reproduce, sending = {}, onStep } = options;
  const startMs = yield* perform({ kind: "now" });
  const run = createRun(scenario, capabilities, sending, startMs);
  const { steps, expectations = [], faults = [] } = scenario;
  if (capabilities.control) yield* seeFirstRules(run, faults);
  else run.skipped.push(...skippedSettings(run));
  for (const [index, step] of steps.entries()) {
    onStep?.(index, steps.length);
    yield* playStep(run, step, `steps.${index}`);
  }
  for (const [index, expect] of expectations.entries()) {
    yield* playStep(run, { expect }, `expectations.${index}`);
  }
  const unfired = yield* rulesThatNeverFired(run);
  const invariants = yield* judgeRun(run);
  const endMs = yield* perform({ kind: "now" });
  return conclude(run, { target, reproduce, endMs, unfired, invariants });
}

/** Notes the rules that are installed from the start. The world may have given them their ids. */
function* seeFirstRules(run: Run, faults: readonly FaultRule[]): EffectGenerator<void> {
  const there = faults.length > 0 ? yield* perform({ kind: "rules" }) : [];
  for (const [index, rule] of faults.entries()) {
    recordRule(run, rule, there[index]?.id ?? `faults.${index}`, `faults.${index}`);
  }
}

/** The settings that another service can't apply. Seed, population and profile are left out: any data will do. */
function skippedSettings({ scenario, capabilities }: Run): Run["skipped"] {
  const { start, assumptions, faults = [] } = scenario;
  const skipped = faults.map((_, index) => ({ path: `faults.${index}`, why: NEEDS_CONTROL }));
  if (assumptions !== undefined && !makesChoices(capabilities, assumptions)) {
    skipped.unshift({ path: "assumptions", why: "the target chooses its own assumptions" });
  }
  if (start !== undefined) {
    skipped.unshift({ path: "start", why: "the target has its own time" });
  }
  return skipped;
}

function* playSteps(run: Run, steps: readonly Step[], path: string): EffectGenerator<void> {
  for (const [index, step] of steps.entries()) yield* playStep(run, step, `${path}.${index}`);
}

function* playStep(run: Run, step: Step, path: string): EffectGenerator<void> {
  run.nowMs = yield* perform({ kind: "now" });
  if (kindOf(step) !== "expect") run.hasFreshScratch = false;
  const playInner = (inner: readonly Step[], at: string) => playSteps(run, inner, at);
  record(run, step, path, yield* doStep({ run, path, playSteps: playInner }, step));
  if (run.newlyBroken.length > 0) yield* attachJournal(run);
}

/** Attaches the last journal entries to newly broken steps. */
function* attachJournal(run: Run): EffectGenerator<void> {
  const paths = run.newlyBroken.splice(0);
  if (!run.capabilities.control || run.journalsShown >= MAX_WITH_JOURNAL) return;
  run.journalsShown += paths.length;
  const entries = yield* perform({ kind: "journal", limit: JOURNAL_ENTRIES });
  const journal = entries.map(shownEntry);
  for (const path of paths) {
    const result = run.results.get(path);
    if (result !== undefined) run.results.set(path, { ...result, journal });
  }
}

function* rulesThatNeverFired(run: Run): EffectGenerator<readonly string[]> {
  if (!run.capabilities.control) return [];
  yield* noteFiredRules(run);
  return Array.from(run.rules.values())
    .filter(({ hasFired }) => !hasFired)
    .map(({ id, isTemporary }) =>
      isTemporary
        ? `fault rule ${id} didn't fire before its ttl ended`
        : `fault rule ${id} never fired`,
    );
}
