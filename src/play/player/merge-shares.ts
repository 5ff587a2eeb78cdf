/** Merges the results of workers that sent a scenario's traffic together, and judges the whole. Imports no HTTP client. */

import { assert } from "../../base/assert.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { digestOf } from "../../base/digest.ts";
import { InputError } from "../../base/input.ts";
import { Inconclusive } from "../../laws/ensure.ts";
import type { RepeatStep, Scenario, TrafficStep } from "../language/scenario.ts";
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
  refuseStrangers(given, first);
  const all = [first, ...others];
  const latencies = createLatencies();
  for (const { share, latency } of all) latencies.add(decodeLatencies(share.latencies, latency));
  const tally = sumOf(all.map((one) => one.tally));
  const latency = latencies.summary();
  const { share, ...common } = first;
  const { target, invariants } = common;
  const missing = missingWorkers(all);
  const isWhole = missing.length === 0;
  const starts = all.map(({ startedAt }) => startedAt).sort();
  const ends = all.map(({ endedAt }) => endedAt).sort();
  const merged: PlayResult = {
    ...common,
    target: {
      ...target,
      url: all.every((one) => one.target.url === target.url) ? target.url : undefined,
    },
    digest: digestOf(all.map(({ digest }) => digest)),
    startedAt: starts[0] ?? first.startedAt,
    endedAt: ends.at(-1) ?? first.endedAt,
    steps: first.steps.map(({ path }) =>
      mergedStep(path, all, isWhole ? share.scenario : undefined),
    ),
    thresholds: judgeThresholds(share.scenario, { tally, latency, invariants }).map((one) =>
      isWhole ? one : { ...one, verdict: "unknown" },
    ),
    tally,
    latency,
    timeline: mergedTimeline(all),
    reproduce,
  };
  return concludeAgain(merged, missing);
}

/** @throws InputError for a share of another load than the first, and for one that is given twice. */
function refuseStrangers(given: readonly PlayedShare[], first: PlayedShare): void {
  const seen = new Set<number>();
  for (const [index, one] of given.entries()) {
    const { worker } = one.share;
    const why = seen.has(worker)
      ? `is of worker ${worker}, and so is another`
      : whyStrange(one, first);
    if (why !== undefined) throw new InputError(String(index), why);
    seen.add(worker);
  }
}

function whyStrange(one: PlayedShare, first: PlayedShare): string | undefined {
  const differs = (what: (share: PlayedShare) => unknown): boolean =>
    JSON.stringify(what(one)) !== JSON.stringify(what(first));
  if (differs(({ share }) => share.of))
    return `is from a load of ${one.share.of} workers, but another is from one of ${first.share.of}`;
  if (differs(({ share }) => share.adsim))
    return `is of adsim ${one.share.adsim}, but another of ${first.share.adsim}`;
  for (const name of Object.keys({ ...one.share.scenario, ...first.share.scenario })) {
    if (differs(({ share }) => share.scenario[name as keyof Scenario]))
      return `is of another scenario, or of other options: its ${name} differs`;
  }
  if (differs(({ steps }) => steps.map(({ path }) => path))) return "has results of other steps";
  if (differs(({ share }) => share.publishers)) return "is of other publishers";
  if (differs(({ runId }) => runId))
    return `has ${runIdOf(one)}, but another report has ${runIdOf(first)}`;
  if (differs(({ target }) => target.speed))
    return `was played at speed ${one.target.speed}, but another at speed ${first.target.speed}`;
  return undefined;
}

function runIdOf({ runId }: PlayedShare): string {
  return runId === undefined ? "no run id" : `the run id ${runId}`;
}

/** At most this many missing workers are named. */
const MAX_NAMED = 10;

/** A sentence about the workers without a result, if there are any. */
export function missingWorkers(given: readonly PlayedShare[]): readonly string[] {
  const of = given[0]?.share.of ?? 0;
  const known = new Set(given.map(({ share }) => share.worker));
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter(
    (worker) => !known.has(worker),
  );
  if (missing.length === 0) return [];
  const more = missing.length - MAX_NAMED;
  const named = [...missing.slice(0, MAX_NAMED).map(String), ...(more > 0 ? [`${more} more`] : [])];
  const workers = missing.length === 1 ? "worker" : "workers";
  return [`there is no result of ${workers} ${formatList(named)} of ${of}`];
}

function sumOf(tallies: readonly TallySummary[]): TallySummary {
  const sum = createTally();
  for (const tally of tallies) sum.add(tallyFrom(tally));
  return sum.summary();
}

/** `scenario`: whose expectations are judged; undefined if a worker's result is missing. */
function mergedStep(
  path: string,
  all: readonly PlayedShare[],
  scenario: Scenario | undefined,
): StepResult {
  const own = all.flatMap(({ steps }) => steps.filter((step) => step.path === path));
  const [first] = own;
  assert(first !== undefined, "A step without a result.");
  // One that a worker skipped wasn't played in full.
  const step = own.find(({ verdict }) => verdict !== "done") ?? first;
  const tallies = own.flatMap(({ tally }) => tally ?? []);
  if (tallies.length === 0) return step;
  const tally = sumOf(tallies);
  const isJudged = step.verdict === "done" && scenario !== undefined;
  const checks = isJudged ? checksOf(step, tally, scenario) : [];
  const verdict = checks.length === 0 ? step.verdict : verdictOf(checks);
  const why = checks.find((one) => one.verdict === "unknown")?.why ?? step.why;
  return { ...step, tally, checks, verdict, why };
}

function checksOf(
  { path, times }: StepResult,
  tally: TallySummary,
  scenario: Scenario,
): readonly Check[] {
  // The cast is safe: only traffic and repeat steps of a share have a tally.
  const { expect } = partAt(scenario, path) as TrafficStep | RepeatStep;
  if (expect === undefined) return [];
  if (times > 1) return [unknownCheck("tally", "workers report only the last round of a repeat")];
  try {
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

/** The part of a scenario at the path of a result; undefined if there is none. */
export function partAt(scenario: Scenario, path: string): unknown {
  return path.split(".").reduce<unknown>((part, name) => Object(part)[name], scenario);
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
