/** Builds the result of a finished run, with one overall verdict and the reason for it. */

import { formatInstant } from "../../base/calendar.ts";
import type { InvariantResult } from "../../invariants/judge.ts";
import type { Scenario } from "../language/scenario.ts";
import { judgeThreshold, parseThreshold, type ThresholdResult } from "../measure/thresholds.ts";
import { brokenInWords, checkInWords } from "./matching.ts";
import type { PlayResult, StepResult } from "./result.ts";
import type { Run } from "./run.ts";

/** What is known only at the end. */
export interface Ending {
  readonly target: Pick<PlayResult["target"], "kind" | "url">;
  readonly reproduce: string;
  readonly endMs: number;
  /** A sentence for each fault rule that was not seen to fire. */
  readonly unfired: readonly string[];
  readonly invariants: readonly InvariantResult[];
}

export function conclude(run: Run, ending: Ending): PlayResult {
  const { target, reproduce, endMs, unfired, invariants } = ending;
  const { scenario, capabilities, skipped } = run;
  const { runId } = run.sending;
  const { time } = capabilities;
  const steps = Array.from(run.results.values());
  const tally = run.tally.summary();
  const latency = run.latencies.summary();
  const { name, about, verdict } = scenario;
  const shown = { name, about, ...(verdict === "broken" && { verdict }) };
  const measured = { tally, latency, invariants };
  const thresholds = judgeThresholds(scenario, measured);
  const judged = { steps, invariants, thresholds, skipped, open: unfired };
  return {
    version: 1,
    scenario: shown,
    target: {
      ...target,
      time: time.kind,
      speed: time.kind === "virtual" ? undefined : time.speed,
    },
    ...asDeclared(shown, verdictOf(judged, tally.sent)),
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
    reproduce,
    ...(runId !== undefined && { runId }),
  };
}

/** The verdict on each threshold of a scenario. */
function judgeThresholds(
  { thresholds = [] }: Scenario,
  { tally, latency, invariants }: Pick<PlayResult, "tally" | "latency" | "invariants">,
): readonly ThresholdResult[] {
  const isAnyKnown = invariants.some(({ verdict }) => verdict !== "unknown");
  const brokenInvariants = isAnyKnown ? invariants.filter(hasVerdict("broken")).length : undefined;
  return thresholds.map((threshold) =>
    judgeThreshold(parseThreshold(threshold), { tally, latency, brokenInvariants }),
  );
}

/** The result with its verdict formed anew, after its parts were judged again. */
export function concludeAgain(result: PlayResult): PlayResult {
  const found = verdictOf({ ...result, open: [] }, result.tally.sent);
  return { ...result, ...asDeclared(result.scenario, found) };
}

type Conclusion = Pick<PlayResult, "verdict" | "why">;

/** Turns the verdict round for a scenario that shows a defect. */
function asDeclared({ verdict }: PlayResult["scenario"], found: Conclusion): Conclusion {
  if (verdict !== "broken" || found.verdict === "unknown") return found;
  if (found.verdict === "broken")
    return { verdict: "held", why: `broken, as the scenario says: ${found.why}` };
  return {
    verdict: "broken",
    why: "everything came out as expected, but the scenario says that something is broken",
  };
}

interface Judged extends Pick<PlayResult, "steps" | "invariants" | "thresholds" | "skipped"> {
  /** Sentences about what else is unknown. */
  readonly open: readonly string[];
}

/** Broken outranks unknown, and unknown outranks held, so `held` means that everything was seen to hold. */
function verdictOf(
  { steps, invariants, thresholds, skipped, open: alsoOpen }: Judged,
  sent: number,
): Conclusion {
  const broken = [
    ...steps.filter(hasVerdict("broken")).map(headlineOf),
    ...invariants.filter(hasVerdict("broken")).map(({ id, why = "" }) => brokenInWords(id, why)),
    ...thresholds.filter(hasVerdict("broken")).map(thresholdInWords),
  ];
  if (broken.length > 0) return { verdict: "broken", why: listed(broken) };
  const open = [
    ...skipped.map(({ path, why }) => `${path} was skipped: ${why}`),
    ...steps.filter(hasVerdict("unknown")).map(({ path, why }) => `${path}: ${why}`),
    ...alsoOpen,
    ...thresholds.filter(hasVerdict("unknown")).map(thresholdInWords),
  ];
  if (open.length > 0) return { verdict: "unknown", why: listed(open) };
  // Without requests of its own, a run's invariants and thresholds say nothing about the scenario.
  const upheld = sent > 0 ? [...invariants, ...thresholds].filter(hasVerdict("held")) : [];
  if (steps.filter(hasVerdict("held")).length + upheld.length === 0) {
    return {
      verdict: "unknown",
      why: "the scenario expects nothing",
    };
  }
  return { verdict: "held", why: "everything came out as expected" };
}

/** The first thing that isn't as expected: `stats.clicks: expected 1, found 2 (expectations.0)`. */
function headlineOf({ path, title, checks }: StepResult): string {
  const broken = checks.find(hasVerdict("broken"));
  return broken === undefined ? `${path} (${title})` : `${checkInWords(broken)} (${path})`;
}

/** "p99 < 50ms: found 61 ms", or why it is unknown. */
function thresholdInWords({ threshold, verdict, found }: ThresholdResult): string {
  return `${threshold}: ${verdict === "unknown" ? found : `found ${found}`}`;
}

function hasVerdict(verdict: string): (judged: { readonly verdict: string }) => boolean {
  return (judged) => judged.verdict === verdict;
}

function listed(parts: readonly string[]): string {
  const [first = "", ...others] = parts;
  return others.length === 0 ? first : `${first}, and ${others.length} more`;
}
