/** What it takes to play a scenario at a service that isn't adsim: what it can't do, how long it waits, what it reads. */

import { durationMs, MINUTE_MS } from "../../base/duration.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { ordinalsIn } from "../scenario/references.ts";
import { isReport, kindOf, type StepKind } from "../scenario/step-kind.ts";
import type { ExpectStep, Scenario, Step } from "../scenario/types.ts";
import { whyAdvanceIsSkipped } from "./target.ts";

export interface ServicePlan {
  /** What only an adsim has, in words such as `fault rules`, each once. If there is any, the scenario can't pass. */
  readonly impossible: readonly string[];
  /** The choices from the start, such as `stats.today=live`, that the service isn't known to make. */
  readonly choices: readonly string[];
  /** How long it waits in real time. Requests take time, too. */
  readonly totalMs: number;
  /** How many publishers it needs. */
  readonly publishers: number;
  /** The most GET requests that its steps and expectations send with one key, beside traffic. */
  readonly reads: number;
}

interface Service {
  /** How many times as fast as real time. @default 1 */
  readonly speed?: number | undefined;
  readonly knownChoices?: Choices | undefined;
}

export function planAtService(
  scenario: Scenario,
  { speed = 1, knownChoices }: Service = {},
): ServicePlan {
  const { steps, expectations = [], start, assumptions = {}, faults = [] } = scenario;
  const impossible = new Set([
    ...(start === undefined ? [] : ["a start time"]),
    ...(faults.length === 0 ? [] : ["fault rules"]),
  ]);
  let [waitMs, reads] = [0, 0];

  function addAll(steps: readonly Step[], times: number): void {
    for (const step of steps) add(step, times);
  }
  function add(step: Step, times: number): void {
    const kind = kindOf(step);
    if (gets.includes(kind)) reads += times;
    else if ("traffic" in step) waitMs += times * durationMs(step.traffic.for);
    else if ("repeat" in step) {
      const rounds = times * step.repeat.times;
      waitMs += rounds * durationMs(step.repeat.every ?? 0);
      addAll(step.repeat.steps, rounds);
    } else if ("parallel" in step) addAll(step.parallel.steps, times * (step.parallel.times ?? 1));
    else if ("advance" in step) {
      const { advance } = step;
      // The documented limits are per minute.
      waitMs += times * (typeof advance === "object" ? MINUTE_MS : durationMs(advance));
      if (whyAdvanceIsSkipped({ kind: "real", speed }, step) !== undefined)
        impossible.add("a clock that can be set");
    } else if (kind === "expect") {
      const expected = (step as ExpectStep).expect;
      if ("audit" in expected) impossible.add("the audit");
      if (isReport(expected)) reads += times;
    } else if ("assume" in step) {
      if (choicesToMake(step.assume, knownChoices).length > 0) impossible.add("other assumptions");
    } else if (needs[kind] !== undefined) impossible.add(needs[kind]);
  }
  addAll([...steps, ...expectations.map((expect) => ({ expect }))], 1);
  return {
    impossible: Array.from(impossible),
    choices: choicesToMake(assumptions, knownChoices),
    totalMs: waitMs / speed,
    publishers: 1 + Math.max(0, ...ordinalsIn(scenario)),
    reads,
  };
}

const gets: readonly StepKind[] = ["stats", "surfaces", "payouts"];

/** What only an adsim can do, in words. */
const needs: { readonly [Kind in StepKind]?: string } = {
  fault: "fault rules",
  heal: "fault rules",
  signUp: "sign-ups",
  setSurface: "changes to surfaces",
  rotateKey: "new keys",
};

/** The choices, such as `dedup.window=30m`, that a service isn't known to make. */
export function choicesToMake(wanted: Choices, known: Choices = {}): readonly string[] {
  const made: Readonly<Record<string, string | undefined>> = known;
  return Object.entries(wanted)
    .filter(([key, choice]) => choice !== undefined && made[key] !== choice)
    .map(([key, choice]) => `${key}=${choice}`);
}
