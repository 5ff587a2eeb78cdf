/** Merges the results of workers that sent a scenario's traffic together, and judges the whole. Imports no HTTP client. */

import { formatList } from "../../base/did-you-mean.ts";
import { digestOf } from "../../base/digest.ts";
import { InputError } from "../../base/input.ts";
import { Inconclusive } from "../../laws/law.ts";
import type { Step } from "../language/scenario.ts";
import { createLatencies } from "../measure/latencies.ts";
import { decodeLatencies } from "../measure/latency-encoding.ts";
import { createTally, type TallySummary, tallyFrom } from "../measure/tally.ts";
import { createTimeline, type TimelineSummary } from "../measure/timeline.ts";
import { concludeAgain, judgeThresholds } from "./conclude.ts";
import { match, unknownCheck, verdictOf } from "./matching.ts";
import type { Check, PlayResult, ShareResult, StepResult } from "./result.ts";
import type { Scope } from "./values.ts";

/** A worker's result. */
export type PlayedShare = PlayResult & { readonly share: ShareResult };

/**
 * The result of all workers together: counts and histograms are added, then expectations and thresholds are judged. If a
 * worker's result is missing, the verdict is unknown.
 *
 * @throws InputError for shares that don't belong together. Its field is the index of the first that doesn't fit.
 */
export function mergeShares(given: readonly PlayedShare[], reproduce: string): PlayResult {
  const [first, ...others] = given.toSorted((one, other) => one.share.worker - other.share.worker);
  if (first === undefined) throw new InputError("reports", "must name at least one");
  refuseStrangers(given);
  const all = [first, ...others];
  const { scenario } = first.share;
  const latencies = createLatencies();
  for (const { share, latency } of all) latencies.add(decodeLatencies(share.latencies, latency));
  const tally = sumOf(all.map((one) => one.tally));
  const latency = latencies.summary();
  const { share: _, invariants, ...common } = first;
  const hasUrl = ({ target }: PlayedShare): boolean => target.url === common.target.url;
  const judged = all.length === 1 ? invariants : [];
  const missing = missingWorkers(all);
  const merged: PlayResult = {
    ...common,
    target: { ...common.target, url: all.every(hasUrl) ? common.target.url : undefined },
    digest: digestOf(all.map(({ digest }) => digest)),
    startedAt: all.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    endedAt:
      all
        .map(({ endedAt }) => endedAt)
        .sort()
        .at(-1) ?? first.endedAt,
    steps: first.steps.map(({ path }) => mergedStep(path, all, missing.length === 0)),
    invariants: judged,
    thresholds: judgeThresholds(scenario, { tally, latency, invariants: judged }).map((one) =>
      missing.length === 0 ? one : { ...one, verdict: "unknown" },
    ),
    tally,
    latency,
    timeline: mergedTimeline(all),
    reproduce,
  };
  return concludeAgain(merged, missing);
}

/** @throws InputError for a share of another load, and for one that is given twice. */
function refuseStrangers(given: readonly PlayedShare[]): void {
  const [first] = given;
  const seen = new Set<number>();
  for (const [index, { share, runId, target }] of given.entries()) {
    const why = whyStrange({ share, runId, target }, first);
    if (why !== undefined) throw new InputError(String(index), why);
    if (seen.has(share.worker))
      throw new InputError(String(index), `is of worker ${share.worker}, and so is another`);
    seen.add(share.worker);
  }
}

type Identity = Pick<PlayedShare, "share" | "runId" | "target">;

function whyStrange(
  { share, runId, target }: Identity,
  first: Identity = { share, runId, target },
) {
  if (share.of !== first.share.of)
    return `is of one of ${share.of} workers, not of ${first.share.of}`;
  if (JSON.stringify(share.scenario) !== JSON.stringify(first.share.scenario))
    return "is of another scenario, or of other options for it";
  if (runId !== first.runId) return `has the run id ${runId ?? "of none"}, not ${first.runId}`;
  if (target.speed !== first.target.speed)
    return `was played at speed ${target.speed}, not ${first.target.speed}`;
  return undefined;
}

/** A sentence about the workers without a result. */
function missingWorkers(all: readonly PlayedShare[]): readonly string[] {
  const of = all[0]?.share.of ?? 0;
  const known = new Set(all.map(({ share }) => share.worker));
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter(
    (worker) => !known.has(worker),
  );
  if (missing.length === 0) return [];
  const [results, are] =
    missing.length === 1 ? ["result of worker", "is"] : ["results of workers", "are"];
  return [`the ${results} ${formatList(missing.map(String))} of ${of} ${are} missing`];
}

function sumOf(tallies: readonly TallySummary[]): TallySummary {
  const sum = createTally();
  for (const tally of tallies) sum.add(tallyFrom(tally));
  return sum.summary();
}

/** `isWhole`: whether no worker's result is missing. */
function mergedStep(path: string, all: readonly PlayedShare[], isWhole: boolean): StepResult {
  const own = all.flatMap(({ steps }) => steps.filter((step) => step.path === path));
  const [first] = own;
  if (first === undefined) throw new Error("A step without a result. This is a bug in adsim.");
  // One that was skipped by a worker wasn't played in full.
  const step = own.find(({ verdict }) => verdict !== "done") ?? first;
  const tallies = own.flatMap(({ tally }) => tally ?? []);
  if (tallies.length === 0) return step;
  const tally = sumOf(tallies);
  const checks = step.verdict === "done" && isWhole ? checksOf(step, tally, all[0]) : [];
  const verdict = checks.length === 0 ? step.verdict : verdictOf(checks);
  const why = checks.find((one) => one.verdict === "unknown")?.why ?? step.why;
  return { ...step, tally, checks, verdict, why };
}

function checksOf(
  { path, times }: StepResult,
  tally: TallySummary,
  played: PlayedShare | undefined,
): readonly Check[] {
  const step = path
    .split(".")
    .reduce<unknown>((part, name) => Object(part)[name], played?.share.scenario) as Step;
  const expect = "traffic" in step || "repeat" in step ? step.expect : undefined;
  if (expect === undefined) return [];
  if (times > 1)
    return [unknownCheck("tally", "of a step in a repeat, workers report the last round")];
  try {
    // Nobody compared the ids of different workers.
    return match(expect, tally, "tally", nothingKnown).map((check) =>
      check.about === "tally.differentIds" && tally.differentIds === undefined
        ? unknownCheck(check.about, "each worker knows only its own ids")
        : check,
    );
  } catch (thrown) {
    if (thrown instanceof Inconclusive) return [unknownCheck("tally", thrown.message)];
    throw thrown;
  }
}

/** Expectations of traffic can only refer to what workers don't play. */
const nothingKnown: Scope = {
  stepOutput: () => ({ kind: "nothing", why: "workers send only traffic" }),
  member: () => undefined,
  round: 1,
  nowMs: 0,
};

/** Each worker's buckets count from its own beginning. */
function mergedTimeline(all: readonly PlayedShare[]): TimelineSummary {
  const starts = all.map(({ startedAt }) => Date.parse(startedAt));
  const startMs = Math.min(...starts);
  const timeline = createTimeline(startMs, Math.max(...all.map((one) => one.timeline.bucketMs)));
  for (const { timeline: own, share, startedAt } of all) {
    const afterMs = Date.parse(startedAt) - startMs;
    for (const [index, bucket] of own.buckets.entries()) {
      const latencies = decodeLatencies(share.timeline[index] ?? "");
      timeline.add({ ...bucket, atMs: bucket.atMs + afterMs }, latencies);
    }
  }
  return timeline.summary();
}
