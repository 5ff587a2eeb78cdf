/** Builds the result of a finished run, with one overall result and the reason for it. */

import { formatInstant } from "../../base/calendar.ts";
import { judgeThreshold, parseThreshold, type ThresholdResult } from "../measure/thresholds.ts";
import { checkInWords, invariantInWords } from "./matching.ts";
import type { PlayResult, StepResult } from "./result.ts";
import type { Run } from "./run.ts";

export function conclude(
  run: Run,
  { reproduce, invariants }: Pick<PlayResult, "reproduce" | "invariants">,
): PlayResult {
  const { scenario, target, skipped, sending, startMs } = run;
  const steps = Array.from(run.results.values());
  const tally = run.tally.summary();
  const latency = run.latencies.summary();
  const { name, about, result, thresholds: bounds = [] } = scenario;
  const shown = { name, about, ...(result === "failed" && { result }) };
  const thresholds = thresholdResults(bounds, { tally, latency, invariants });
  const judged = { steps, invariants, thresholds, skipped, tally };
  return {
    version: 1,
    scenario: shown,
    target: {
      kind: target.kind,
      url: target.url,
      time: target.time.kind,
      speed: target.time.speed,
    },
    ...asDeclared(shown, conclusionOf(judged, rulesThatNeverFired(run))),
    digest: run.digest.value(),
    startedAt: formatInstant(startMs),
    endedAt: formatInstant(target.now()),
    ...{ steps, invariants, thresholds, skipped, tally, latency },
    timeline: run.timeline.summary(),
    reproduce,
    ...(sending.runId !== undefined && { runId: sending.runId }),
  };
}

function thresholdResults(
  bounds: readonly string[],
  { tally, latency, invariants }: Pick<PlayResult, "tally" | "latency" | "invariants">,
): readonly ThresholdResult[] {
  const isAnyKnown = invariants.some(({ result }) => result !== "undecided");
  const brokenInvariants = isAnyKnown ? invariants.filter(hasResult("failed")).length : undefined;
  return bounds.map((bound) =>
    judgeThreshold(parseThreshold(bound), { tally, latency, brokenInvariants }),
  );
}

function rulesThatNeverFired({ rules, target }: Run): readonly string[] {
  if (target.control === undefined) return [];
  const unfired = Array.from(rules.values()).filter(({ hasFired }) => !hasFired);
  return unfired.map(({ id, isTemporary }) =>
    isTemporary
      ? `fault rule ${id} didn't fire before its ttl ended`
      : `fault rule ${id} never fired`,
  );
}

/** The same play, after its parts were judged again. */
export function concludeAgain(play: PlayResult): PlayResult {
  return { ...play, ...asDeclared(play.scenario, conclusionOf(play, [])) };
}

type Conclusion = Pick<PlayResult, "result" | "why">;

/** Turns the result round for a scenario that shows a defect. */
function asDeclared({ result }: PlayResult["scenario"], found: Conclusion): Conclusion {
  if (result !== "failed" || found.result === "undecided") return found;
  if (found.result === "failed")
    return { result: "passed", why: `it fails, as the scenario says: ${found.why}` };
  const why = "everything came out as expected, but the scenario says that something fails";
  return { result: "failed", why };
}

type Judged = Pick<PlayResult, "steps" | "invariants" | "thresholds" | "skipped" | "tally">;

/**
 * Failed outranks undecided, and undecided outranks passed, so `passed` means that everything was seen to be as expected.
 * `open`: what else is undecided, in sentences.
 */
function conclusionOf(judged: Judged, open: readonly string[]): Conclusion {
  const { steps, invariants, thresholds, skipped, tally } = judged;
  const failed = [
    ...steps.filter(hasResult("failed")).map(headlineOf),
    ...invariants.filter(hasResult("failed")).map(({ id, why = "" }) => invariantInWords(id, why)),
    ...thresholds.filter(hasResult("failed")).map(thresholdInWords),
  ];
  if (failed.length > 0) return { result: "failed", why: listed(failed) };
  const undecided = [
    ...skipped.map(({ path, why }) => `${path} was skipped: ${why}`),
    ...steps.filter(hasResult("undecided")).map(({ path, why }) => `${path}: ${why}`),
    ...open,
    ...thresholds.filter(hasResult("undecided")).map(thresholdInWords),
  ];
  if (undecided.length > 0) return { result: "undecided", why: listed(undecided) };
  // Without requests of its own, a run's invariants and thresholds say nothing about the scenario.
  const judges = tally.sent > 0 ? [...steps, ...invariants, ...thresholds] : steps;
  return judges.some(hasResult("passed"))
    ? { result: "passed", why: "everything came out as expected" }
    : { result: "undecided", why: "the scenario expects nothing" };
}

/** The first thing that isn't as expected: `stats.clicks: expected 1, found 2 (expectations.0)`. */
function headlineOf({ path, title, checks }: StepResult): string {
  const failed = checks.find(hasResult("failed"));
  return failed === undefined ? `${path} (${title})` : `${checkInWords(failed)} (${path})`;
}

/** "p99 < 50ms: found 61 ms", or why it is undecided. */
function thresholdInWords({ threshold, result, found }: ThresholdResult): string {
  return `${threshold}: ${result === "undecided" ? found : `found ${found}`}`;
}

function hasResult(result: string): (judged: { readonly result: string }) => boolean {
  return (judged) => judged.result === result;
}

function listed([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first}, and ${others.length} more`;
}
