/** Builds the result of a finished run, with one overall result and the reason for it. */

import { formatInstant } from "../../../base/calendar.ts";
import type { InvariantResult } from "../../../invariants/judge.ts";
import { judgeThreshold, parseThreshold, type ThresholdResult } from "../../measure/thresholds.ts";
import type { Scenario } from "../../scenario/types.ts";
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
  const { name, about, result } = scenario;
  const shown = { name, about, ...(result === "failed" && { result }) };
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
    ...asDeclared(shown, resultOf(judged, tally.sent)),
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

/** The result on each threshold of a scenario. */
function judgeThresholds(
  { thresholds = [] }: Scenario,
  { tally, latency, invariants }: Pick<PlayResult, "tally" | "latency" | "invariants">,
): readonly ThresholdResult[] {
  const isAnyKnown = invariants.some(({ result }) => result !== "undecided");
  const brokenInvariants = isAnyKnown ? invariants.filter(hasResult("failed")).length : undefined;
  return thresholds.map((threshold) =>
    judgeThreshold(parseThreshold(threshold), { tally, latency, brokenInvariants }),
  );
}

/** The result with its result formed anew, after its parts were judged again. */
export function concludeAgain(result: PlayResult): PlayResult {
  const found = resultOf({ ...result, open: [] }, result.tally.sent);
  return { ...result, ...asDeclared(result.scenario, found) };
}

type Conclusion = Pick<PlayResult, "result" | "why">;

/** Turns the result round for a scenario that shows a defect. */
function asDeclared({ result }: PlayResult["scenario"], found: Conclusion): Conclusion {
  if (result !== "failed" || found.result === "undecided") return found;
  if (found.result === "failed")
    return { result: "passed", why: `broken, as the scenario says: ${found.why}` };
  return {
    result: "failed",
    why: "everything came out as expected, but the scenario says that something is broken",
  };
}

interface Judged extends Pick<PlayResult, "steps" | "invariants" | "thresholds" | "skipped"> {
  /** Sentences about what else is unknown. */
  readonly open: readonly string[];
}

/** Broken outranks unknown, and unknown outranks held, so `held` means that everything was seen to hold. */
function resultOf(
  { steps, invariants, thresholds, skipped, open: alsoOpen }: Judged,
  sent: number,
): Conclusion {
  const broken = [
    ...steps.filter(hasResult("failed")).map(headlineOf),
    ...invariants.filter(hasResult("failed")).map(({ id, why = "" }) => brokenInWords(id, why)),
    ...thresholds.filter(hasResult("failed")).map(thresholdInWords),
  ];
  if (broken.length > 0) return { result: "failed", why: listed(broken) };
  const open = [
    ...skipped.map(({ path, why }) => `${path} was skipped: ${why}`),
    ...steps.filter(hasResult("undecided")).map(({ path, why }) => `${path}: ${why}`),
    ...alsoOpen,
    ...thresholds.filter(hasResult("undecided")).map(thresholdInWords),
  ];
  if (open.length > 0) return { result: "undecided", why: listed(open) };
  // Without requests of its own, a run's invariants and thresholds say nothing about the scenario.
  const upheld = sent > 0 ? [...invariants, ...thresholds].filter(hasResult("passed")) : [];
  if (steps.filter(hasResult("passed")).length + upheld.length === 0) {
    return {
      result: "undecided",
      why: "the scenario expects nothing",
    };
  }
  return { result: "passed", why: "everything came out as expected" };
}

/** The first thing that isn't as expected: `stats.clicks: expected 1, found 2 (expectations.0)`. */
function headlineOf({ path, title, checks }: StepResult): string {
  const broken = checks.find(hasResult("failed"));
  return broken === undefined ? `${path} (${title})` : `${checkInWords(broken)} (${path})`;
}

/** "p99 < 50ms: found 61 ms", or why it is unknown. */
function thresholdInWords({ threshold, result, found }: ThresholdResult): string {
  return `${threshold}: ${result === "undecided" ? found : `found ${found}`}`;
}

function hasResult(result: string): (judged: { readonly result: string }) => boolean {
  return (judged) => judged.result === result;
}

function listed(parts: readonly string[]): string {
  const [first = "", ...others] = parts;
  return others.length === 0 ? first : `${first}, and ${others.length} more`;
}
