/** A scenario's play from its first step to its result, whatever it is played on. */

import { formatInstant } from "../../base/calendar.ts";
import type { Evidence } from "../invariants/evidence.ts";
import { checkInvariants } from "../invariants/invariants.ts";
import { createTrace } from "../invariants/trace.ts";
import { judgeThreshold, parseThreshold } from "../measure/thresholds.ts";
import type { Scenario, Step } from "../scenario.ts";
import { type Abilities, type Playing, perform } from "./effects.ts";
import type { Judge } from "./expectations.ts";
import { kindOf, record } from "./record.ts";
import type { Check, InvariantResult, PlayResult, Verdict } from "./result.ts";
import { createRun, type Run } from "./run.ts";
import type { Played } from "./step-requests.ts";
import { lookAtRules, needsControl, stepPlayers } from "./steps.ts";

export interface PlayOptions {
  readonly abilities: Abilities;
  readonly target: Pick<PlayResult["target"], "kind" | "url">;
  /** The line that plays it again. */
  readonly reproduce: string;
  /** Told before each step of the scenario, from 0, and of how many there are. */
  readonly onStep?: ((index: number, count: number) => void) | undefined;
}

/** How many entries of the journal are shown with a broken step. */
const JOURNAL_ENTRIES = 6;
/** How many publishers invariants are tried on. */
const MOST_MEMBERS = 20;

/** Plays what {@link parseScenario} let pass. @throws InputError that names the step that the target refuses to do. */
export function* play(scenario: Scenario, options: PlayOptions): Playing<PlayResult> {
  const { abilities, onStep } = options;
  const startMs = yield* perform({ kind: "now" });
  const run = createRun(scenario, abilities, startMs, createTrace());
  const { steps, expectations = [], faults = [] } = scenario;
  for (const rule of faults) run.trace.seeRule(rule);
  for (const [index, step] of steps.entries()) {
    onStep?.(index, steps.length);
    yield* playStep(run, step, `steps.${index}`);
  }
  for (const [index, expect] of expectations.entries()) {
    yield* playStep(run, { expect }, `expectations.${index}`);
  }
  const unfired = yield* rulesThatNeverFired(run);
  const invariants = yield* checkInvariants(yield* evidenceOf(run));
  const endMs = yield* perform({ kind: "now" });
  return resultOf(run, options, { endMs, unfired, invariants });
}

function* playSteps(run: Run, steps: readonly Step[], path: string): Playing<void> {
  for (const [index, step] of steps.entries()) yield* playStep(run, step, `${path}.${index}`);
}

function* playStep(run: Run, step: Step, path: string): Playing<void> {
  run.nowMs = yield* perform({ kind: "now" });
  const stage = {
    run,
    path,
    judge: judgeIn(run),
    playSteps: (inner: readonly Step[], at: string) => playSteps(run, inner, at),
  };
  // Each player takes steps of its own kind.
  const player = stepPlayers[kindOf(step)] as (on: typeof stage, step: Step) => Playing<Played>;
  record(run, step, path, yield* player(stage, step));
  if (run.newlyBroken.length > 0) yield* keepJournal(run);
}

/** With what is newly broken goes what the service saw last. */
function* keepJournal(run: Run): Playing<void> {
  const paths = run.newlyBroken.splice(0);
  if (!run.abilities.control) return;
  const journal = yield* perform({ kind: "journal", limit: JOURNAL_ENTRIES });
  for (const path of paths) {
    const result = run.results.get(path);
    if (result !== undefined) run.results.set(path, { ...result, journal });
  }
}

function judgeIn(run: Run): Judge {
  return function* judge(ids) {
    const results = yield* checkInvariants(
      yield* evidenceOf(run),
      ids.length === 0 ? undefined : ids,
    );
    return results.map(
      ({ id, says, verdict, why }): Check => ({
        verdict,
        about: `invariant ${id}`,
        expected: says,
        found: why ?? "it holds",
        ...(verdict === "unknown" && { why }),
      }),
    );
  };
}

function* evidenceOf(run: Run): Playing<Evidence> {
  const { abilities, trace } = run;
  const assumptions = abilities.control ? yield* perform({ kind: "assumptions" }) : undefined;
  return {
    abilities,
    trace,
    members: Array.from(run.members.values()).slice(0, MOST_MEMBERS),
    assumptions,
  };
}

function* rulesThatNeverFired(run: Run): Playing<readonly string[]> {
  if (!run.abilities.control) return [];
  yield* lookAtRules(run);
  return Array.from(run.fired)
    .filter(([, fired]) => fired === 0)
    .map(([id]) => id);
}

/** Rules of the scenario's world, where the world isn't ours: what they are about doesn't happen there. */
function rulesNotInstalled({ scenario, abilities }: Run): PlayResult["skipped"] {
  if (abilities.control) return [];
  return (scenario.faults ?? []).map((_, index) => ({
    path: `faults.${index}`,
    why: needsControl,
  }));
}

interface Ending {
  readonly endMs: number;
  readonly unfired: readonly string[];
  readonly invariants: readonly InvariantResult[];
}

function resultOf(
  run: Run,
  options: PlayOptions,
  { endMs, unfired, invariants }: Ending,
): PlayResult {
  const { scenario, abilities } = run;
  const { time } = abilities;
  const steps = Array.from(run.results.values());
  const tally = run.tally.summary();
  const latency = run.latencies.summary();
  const brokenInvariants = invariants.filter(({ verdict }) => verdict === "broken").length;
  const thresholds = (scenario.thresholds ?? []).map((threshold) =>
    judgeThreshold(parseThreshold(threshold), { tally, latency, brokenInvariants }),
  );
  const skipped = [
    ...rulesNotInstalled(run),
    ...steps.filter(is("skipped")).map(({ path, why = "" }) => ({ path, why })),
  ];
  return {
    version: 1,
    scenario: { name: scenario.name, about: scenario.about },
    target: {
      ...options.target,
      time: time.kind,
      speed: time.kind === "virtual" ? undefined : time.speed,
    },
    ...conclusion({ steps, invariants, thresholds, unfired, skipped }),
    digest: run.digest.value(),
    startedAt: formatInstant(run.startMs),
    endedAt: formatInstant(endMs),
    steps,
    invariants,
    thresholds,
    skipped,
    tally,
    latency,
    timeline: run.timeline.summary(),
    reproduce: options.reproduce,
  };
}

type Judged = Pick<PlayResult, "steps" | "invariants" | "thresholds" | "skipped"> &
  Pick<Ending, "unfired">;

function conclusion({ steps, invariants, thresholds, unfired, skipped }: Judged): {
  readonly verdict: Verdict;
  readonly why: string;
} {
  const broken = [
    ...steps.filter(is("broken")).map(({ path, title }) => `${path} (${title})`),
    ...invariants.filter(is("broken")).map(({ id }) => `invariant ${id}`),
    ...thresholds.filter(is("broken")).map(({ threshold }) => `threshold ${threshold}`),
  ];
  if (broken.length > 0) return { verdict: "broken", why: listed(broken) };
  const open = [
    ...skipped.map(({ path, why }) => `${path} was skipped: ${why}`),
    ...steps.filter(is("unknown")).map(({ path, why }) => `${path}: ${why}`),
    ...thresholds.filter(is("unknown")).map(({ threshold, found }) => `${threshold}: ${found}`),
    ...unfired.map((id) => `fault rule ${id} never fired`),
  ];
  if (open.length > 0) return { verdict: "unknown", why: listed(open) };
  const held = steps.filter(is("held")).length + invariants.filter(is("held")).length;
  if (held === 0) return { verdict: "unknown", why: "nothing was expected of anything" };
  return { verdict: "held", why: "everything that was expected came true" };
}

function is(verdict: string): (judged: { readonly verdict: string }) => boolean {
  return (judged) => judged.verdict === verdict;
}

function listed(parts: readonly string[]): string {
  const [first = "", ...others] = parts;
  return others.length === 0 ? first : `${first}, and ${others.length} more`;
}
