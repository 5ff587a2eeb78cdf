/** A result as JUnit XML: a test case for each step with checks, invariant and threshold. Times are the target's. */

import { checkInWords } from "../player/matching.ts";
import type { PlayResult, StepResult } from "../player/result.ts";
import { type JunitCase, type JunitOutcome, type JunitSuite, junitXml } from "./junit.ts";
import { detailLines, stepLine } from "./lines.ts";

/** Several results become a suite each. */
export function reportJunit(...results: readonly PlayResult[]): string {
  return junitXml(...results.map(suiteOf));
}

function suiteOf(play: PlayResult): JunitSuite {
  const { scenario, startedAt, endedAt, steps, invariants, thresholds } = play;
  const startedMs = Date.parse(startedAt);
  const name = `adsim.play.${scenario.name}`;
  const caseOf = (
    [group, title]: readonly [group: string, title: string],
    result: StepResult["result"],
    message = "",
    step?: StepResult,
  ): JunitCase => ({
    ...{ name: title, className: `${name}${group}`, durationMs: step?.exchange?.latencyMs ?? 0 },
    outcome: outcomeOf(play, result, message, step === undefined ? [] : detailLines(step)),
  });
  return {
    name,
    startedMs,
    durationMs: Math.max(Date.parse(endedAt) - startedMs, 0),
    cases: [
      caseOf(["", scenario.name], play.result, play.why),
      ...steps
        .filter(({ result }) => result !== "done")
        .map((step) => caseOf([".steps", stepLine(step)], step.result, messageOf(step), step)),
      ...invariants.map(({ id, says, result, why }) =>
        // A play that couldn't check an invariant can pass.
        caseOf([".invariants", `${id} ${says}`], result === "undecided" ? "skipped" : result, why),
      ),
      ...thresholds.map(({ threshold, result, found }) =>
        caseOf([".thresholds", threshold], result, found),
      ),
    ],
  };
}

function messageOf({ checks, why }: StepResult): string | undefined {
  const failed = checks.filter(({ result }) => result === "failed");
  return failed.length > 0 ? failed.map(checkInWords).join("; ") : why;
}

function outcomeOf(
  { scenario, result: ofPlay, reproduce }: PlayResult,
  result: StepResult["result"],
  message: string,
  details: readonly string[],
): JunitOutcome {
  if (result === "passed" || result === "done") return { kind: "passed" };
  if (result === "skipped") return { kind: "skipped", message };
  // What the scenario wants to fail must not fail a build.
  if (scenario.result === "failed" && ofPlay === "passed")
    return { kind: "skipped", message: `${result}, as the scenario says: ${message}` };
  // Undecided is an error: a play that proves nothing mustn't look green.
  const kind = result === "failed" ? "failure" : "error";
  return { kind, message, text: [message, ...details, `Reproduce: ${reproduce}`].join("\n") };
}
