/** Builds the result of a finished run, with one overall result and the reason for it. */

import { formatInstant } from "../../base/calendar.ts";
import { judgeThreshold, parseThreshold } from "../measure/thresholds.ts";
import { checkInWords } from "./matching.ts";
import type { PlayResult, StepResult } from "./result.ts";
import type { Run } from "./run.ts";

export function conclude(
  run: Run,
  { reproduce, invariants }: Pick<PlayResult, "reproduce" | "invariants">,
): PlayResult {
  const { target, skipped, sending, startMs } = run;
  const { name, about, result, thresholds: bounds = [] } = run.scenario;
  const scenario = { name, about, ...(result === "failed" && { result }) };
  const steps = Array.from(run.results.values());
  const tally = run.tally.summary();
  const latency = run.latencies.summary();
  const thresholds = bounds.map((bound) =>
    judgeThreshold(parseThreshold(bound), { tally, latency, invariants }),
  );
  const unfired = Array.from(run.rules.values()).filter(({ hasFired }) => !hasFired);
  const open = unfired.map(({ id }) => `fault rule ${id} never fired`);
  const judged = { scenario, steps, invariants, thresholds, skipped, tally };
  const { kind, url, time } = target;
  return {
    version: 1,
    scenario,
    target: { kind, url, time: time.kind, speed: time.speed },
    ...conclusionOf(judged, open),
    digest: run.digest.value(),
    startedAt: formatInstant(startMs),
    endedAt: formatInstant(target.now()),
    ...{ steps, invariants, thresholds, skipped, tally, latency },
    timeline: run.timeline.summary(),
    reproduce,
    ...(sending.runId !== undefined && { runId: sending.runId }),
  };
}

/** The same play, after its parts were judged again. */
export function concludeAgain(play: PlayResult): PlayResult {
  return { ...play, ...conclusionOf(play, []) };
}

type Judged = Pick<
  PlayResult,
  "scenario" | "steps" | "invariants" | "thresholds" | "skipped" | "tally"
>;
type Conclusion = Pick<PlayResult, "result" | "why">;

/** Turns the result round for a scenario that shows a defect. `open`: what else is undecided, in sentences. */
function conclusionOf(judged: Judged, open: readonly string[]): Conclusion {
  const found = foundIn(judged, open);
  if (judged.scenario.result !== "failed" || found.result === "undecided") return found;
  if (found.result === "failed")
    return { result: "passed", why: `it fails, as the scenario says: ${found.why}` };
  const why = "everything came out as expected, but the scenario says that something fails";
  return { result: "failed", why };
}

/** Failed outranks undecided, and undecided outranks passed, so `passed` means that everything was seen to be as expected. */
function foundIn(judged: Judged, open: readonly string[]): Conclusion {
  const { steps, invariants, thresholds, skipped, tally } = judged;
  const failed = [
    ...steps.filter(hasResult("failed")).map(headlineOf),
    ...invariants.filter(hasResult("failed")).map(({ id, why }) => `${id}: ${why}`),
    ...thresholds
      .filter(hasResult("failed"))
      .map(({ threshold, found }) => `${threshold}: ${found}`),
  ];
  if (failed.length > 0) return { result: "failed", why: listed(failed) };
  const undecided = [
    ...skipped.map(({ path, why }) => `${path} was skipped: ${why}`),
    ...steps.filter(hasResult("undecided")).map(({ path, why }) => `${path}: ${why}`),
    ...open,
    ...thresholds
      .filter(hasResult("undecided"))
      .map(({ threshold, found }) => `${threshold}: ${found}`),
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

function hasResult(result: string): (judged: { readonly result: string }) => boolean {
  return (judged) => judged.result === result;
}

function listed([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first}, and ${others.length} more`;
}
