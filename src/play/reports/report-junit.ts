/** A result as JUnit XML: a test case for each step with checks, invariant and threshold. Times are the target's. */

import { checkInWords } from "../player/matching.ts";
import type { PlayResult, StepResult, Verdict } from "../player/result.ts";
import { type JunitCase, type JunitOutcome, type JunitSuite, junitXml } from "./junit.ts";
import { answerLine, journalLine, requestLine, stepLine, tallyLine, targetLine } from "./lines.ts";

/** Several results become a suite each. */
export function reportJunit(...results: readonly PlayResult[]): string {
  return junitXml(...results.map(suiteOf));
}

function suiteOf(result: PlayResult): JunitSuite {
  const { scenario, target, startedAt, endedAt, verdict, why, digest } = result;
  const startedMs = Date.parse(startedAt);
  const name = `adsim.play.${scenario.name}`;
  return {
    name,
    startedMs,
    durationMs: Math.max(Date.parse(endedAt) - startedMs, 0),
    properties: {
      verdict,
      why,
      about: scenario.about,
      target: targetLine(target),
      requests: tallyLine(result.tally),
      digest,
      reproduce: result.reproduce,
      ...(result.runId !== undefined && { "run id": result.runId }),
    },
    cases: [
      wholeCase(result, name),
      ...stepCases(result, `${name}.steps`),
      ...invariantCases(result, `${name}.invariants`),
      ...thresholdCases(result, `${name}.thresholds`),
    ].map((one) => (showsDefect(result) ? withoutFailure(one) : one)),
  };
}

/** The verdict of the whole. Unknown is an error: a play that proves nothing mustn't look green. */
function wholeCase(
  { scenario, verdict, why, reproduce }: PlayResult,
  className: string,
): JunitCase {
  const text = `${why}\nReproduce: ${reproduce}`;
  const outcomes: Readonly<Record<Verdict, JunitOutcome>> = {
    held: { kind: "passed" },
    unknown: { kind: "error", type: "unknown", message: why, text },
    broken: { kind: "failure", type: "broken", message: why, text },
  };
  return { name: scenario.name, className, durationMs: 0, outcome: outcomes[verdict] };
}

/** Whether something is broken, and that is what the scenario wants. */
function showsDefect({ scenario, verdict }: PlayResult): boolean {
  return scenario.verdict === "broken" && verdict === "held";
}

function withoutFailure(one: JunitCase): JunitCase {
  const { outcome } = one;
  if (outcome.kind !== "failure") return one;
  const message = `broken, as the scenario says: ${outcome.message}`;
  return { ...one, outcome: { kind: "skipped", message } };
}

function stepCases({ steps, endedAt, reproduce }: PlayResult, className: string): JunitCase[] {
  return steps.flatMap((step, index) => {
    if (step.verdict === "done") return [];
    const durationMs = durationOf(step, steps[index + 1]?.at ?? endedAt);
    return [{ name: stepLine(step), className, durationMs, outcome: stepOutcome(step, reproduce) }];
  });
}

/** The latency of its request, or the time until the next step. */
function durationOf({ exchange, at }: StepResult, nextAt: string): number {
  return exchange?.latencyMs ?? Math.max(Date.parse(nextAt) - Date.parse(at), 0);
}

function stepOutcome(step: StepResult, reproduce: string): JunitOutcome {
  const { verdict, why, checks } = step;
  const reasons = [why, ...checks.map((check) => check.why)].filter((one) => one !== undefined);
  const broken = checks.filter((check) => check.verdict === "broken").map(checkInWords);
  const message = verdict === "broken" ? broken.join("; ") || (why ?? "broken") : reasons[0];
  return outcomeOf(verdict, message, () => detailOf(step, reproduce));
}

function detailOf({ checks, exchange, tally, journal }: StepResult, reproduce: string): string {
  const asked =
    exchange === undefined
      ? []
      : [`Request: ${requestLine(exchange)}`, `Answer: ${answerLine(exchange)}`];
  return [
    ...checks.map((check) => `${check.verdict}: ${checkInWords(check)}`),
    ...asked,
    ...(tally === undefined ? [] : [tallyLine(tally)]),
    ...(journal === undefined ? [] : ["The last requests that the service saw:"]),
    ...(journal ?? []).map(journalLine),
    `Reproduce: ${reproduce}`,
  ].join("\n");
}

function invariantCases({ invariants, reproduce }: PlayResult, className: string): JunitCase[] {
  return invariants.map(({ id, says, verdict, why }) => {
    const outcome = outcomeOf(verdict, why, (message) => `${message}\nReproduce: ${reproduce}`);
    return { name: `${id} ${says}`, className, durationMs: 0, outcome };
  });
}

function thresholdCases({ thresholds, reproduce }: PlayResult, className: string): JunitCase[] {
  return thresholds.map(({ threshold, verdict, found }) => {
    const why = verdict === "unknown" ? found : `found ${found}`;
    const outcome = outcomeOf(verdict, why, (message) => `${message}\nReproduce: ${reproduce}`);
    return { name: threshold, className, durationMs: 0, outcome };
  });
}

function outcomeOf(
  verdict: StepResult["verdict"],
  why: string | undefined,
  textOf: (message: string) => string,
): JunitOutcome {
  const message = why ?? "the result is unknown";
  switch (verdict) {
    case "held":
    case "done":
      return { kind: "passed" };
    case "unknown":
    case "skipped":
      return { kind: "skipped", message };
    case "broken":
      return { kind: "failure", type: "broken", message, text: textOf(message) };
  }
}
