/** A result as JUnit XML: a test case for each step with checks, invariant and threshold. Times are the target's. */

import { checkInWords } from "../player/matching.ts";
import type { PlayResult, Result, StepResult } from "../player/result.ts";
import { type JunitCase, type JunitOutcome, type JunitSuite, junitXml } from "./junit.ts";
import { answerLine, journalLine, requestLine, stepLine, tallyLine, targetLine } from "./lines.ts";

/** Several results become a suite each. */
export function reportJunit(...results: readonly PlayResult[]): string {
  return junitXml(...results.map(suiteOf));
}

function suiteOf(play: PlayResult): JunitSuite {
  const { scenario, target, startedAt, endedAt, result, why, digest } = play;
  const startedMs = Date.parse(startedAt);
  const name = `adsim.play.${scenario.name}`;
  return {
    name,
    startedMs,
    durationMs: Math.max(Date.parse(endedAt) - startedMs, 0),
    properties: {
      result,
      why,
      about: scenario.about,
      target: targetLine(target),
      requests: tallyLine(play.tally),
      digest,
      reproduce: play.reproduce,
      ...(play.runId !== undefined && { "run id": play.runId }),
    },
    cases: [
      wholeCase(play, name),
      ...stepCases(play, `${name}.steps`),
      ...invariantCases(play, `${name}.invariants`),
      ...thresholdCases(play, `${name}.thresholds`),
    ].map((one) => (showsDefect(play) ? withoutFailure(one) : one)),
  };
}

/** The result of the whole. Unknown is an error: a play that proves nothing mustn't look green. */
function wholeCase({ scenario, result, why, reproduce }: PlayResult, className: string): JunitCase {
  const text = `${why}\nReproduce: ${reproduce}`;
  const outcomes: Readonly<Record<Result, JunitOutcome>> = {
    passed: { kind: "passed" },
    undecided: { kind: "error", type: "undecided", message: why, text },
    failed: { kind: "failure", type: "failed", message: why, text },
  };
  return { name: scenario.name, className, durationMs: 0, outcome: outcomes[result] };
}

/** Whether something is broken, and that is what the scenario wants. */
function showsDefect({ scenario, result }: PlayResult): boolean {
  return scenario.result === "failed" && result === "passed";
}

function withoutFailure(one: JunitCase): JunitCase {
  const { outcome } = one;
  if (outcome.kind !== "failure") return one;
  const message = `broken, as the scenario says: ${outcome.message}`;
  return { ...one, outcome: { kind: "skipped", message } };
}

function stepCases({ steps, endedAt, reproduce }: PlayResult, className: string): JunitCase[] {
  return steps.flatMap((step, index) => {
    if (step.result === "done") return [];
    const durationMs = durationOf(step, steps[index + 1]?.at ?? endedAt);
    return [{ name: stepLine(step), className, durationMs, outcome: stepOutcome(step, reproduce) }];
  });
}

/** The latency of its request, or the time until the next step. */
function durationOf({ exchange, at }: StepResult, nextAt: string): number {
  return exchange?.latencyMs ?? Math.max(Date.parse(nextAt) - Date.parse(at), 0);
}

function stepOutcome(step: StepResult, reproduce: string): JunitOutcome {
  const { result, why, checks } = step;
  const reasons = [why, ...checks.map((check) => check.why)].filter((one) => one !== undefined);
  const broken = checks.filter((check) => check.result === "failed").map(checkInWords);
  const message = result === "failed" ? broken.join("; ") || (why ?? "failed") : reasons[0];
  return outcomeOf(result, message, () => detailOf(step, reproduce));
}

function detailOf({ checks, exchange, tally, journal }: StepResult, reproduce: string): string {
  const asked =
    exchange === undefined
      ? []
      : [`Request: ${requestLine(exchange)}`, `Answer: ${answerLine(exchange)}`];
  return [
    ...checks.map((check) => `${check.result}: ${checkInWords(check)}`),
    ...asked,
    ...(tally === undefined ? [] : [tallyLine(tally)]),
    ...(journal === undefined ? [] : ["The last requests that the service saw:"]),
    ...(journal ?? []).map(journalLine),
    `Reproduce: ${reproduce}`,
  ].join("\n");
}

function invariantCases({ invariants, reproduce }: PlayResult, className: string): JunitCase[] {
  return invariants.map(({ id, says, result, why }) => {
    const outcome = outcomeOf(result, why, (message) => `${message}\nReproduce: ${reproduce}`);
    return { name: `${id} ${says}`, className, durationMs: 0, outcome };
  });
}

function thresholdCases({ thresholds, reproduce }: PlayResult, className: string): JunitCase[] {
  return thresholds.map(({ threshold, result, found }) => {
    const why = result === "undecided" ? found : `found ${found}`;
    const outcome = outcomeOf(result, why, (message) => `${message}\nReproduce: ${reproduce}`);
    return { name: threshold, className, durationMs: 0, outcome };
  });
}

function outcomeOf(
  result: StepResult["result"],
  why: string | undefined,
  textOf: (message: string) => string,
): JunitOutcome {
  const message = why ?? "the result is unknown";
  switch (result) {
    case "passed":
    case "done":
      return { kind: "passed" };
    case "undecided":
    case "skipped":
      return { kind: "skipped", message };
    case "failed":
      return { kind: "failure", type: "failed", message, text: textOf(message) };
  }
}
