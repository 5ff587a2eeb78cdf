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
  const { scenario, startedAt, endedAt, result, why } = play;
  const startedMs = Date.parse(startedAt);
  const name = `adsim.play.${scenario.name}`;
  const caseOf = (group: string, title: string, judged: Judged, durationMs = 0): JunitCase => ({
    ...{ name: title, className: `${name}${group}`, durationMs },
    outcome: outcomeOf(judged, play),
  });
  return {
    name,
    startedMs,
    durationMs: Math.max(Date.parse(endedAt) - startedMs, 0),
    cases: [
      caseOf("", scenario.name, { result, message: why }),
      ...play.steps
        .filter((step) => step.result !== "done")
        .map((step) =>
          caseOf(".steps", stepLine(step), judgedStep(step), step.exchange?.latencyMs),
        ),
      ...play.invariants.map(({ id, says, why: message, result: found }) =>
        // A play that couldn't check an invariant can pass.
        caseOf(".invariants", `${id} ${says}`, {
          result: found === "undecided" ? "skipped" : found,
          message,
        }),
      ),
      ...play.thresholds.map(({ threshold, result: judged, found }) =>
        caseOf(".thresholds", threshold, { result: judged, message: found }),
      ),
    ],
  };
}

interface Judged {
  readonly result: StepResult["result"];
  readonly message: string | undefined;
  readonly details?: readonly string[];
}

function outcomeOf(
  { result, message = "", details = [] }: Judged,
  { scenario, result: ofPlay, reproduce }: PlayResult,
): JunitOutcome {
  if (result === "passed" || result === "done") return { kind: "passed" };
  if (result === "skipped") return { kind: "skipped", message };
  // What the scenario wants to fail must not fail a build.
  if (scenario.result === "failed" && ofPlay === "passed") {
    return { kind: "skipped", message: `${result}, as the scenario says: ${message}` };
  }
  // Undecided is an error: a play that proves nothing mustn't look green.
  const kind = result === "failed" ? "failure" : "error";
  const text = [message, ...details, `Reproduce: ${reproduce}`].join("\n");
  return { kind, type: result, message, text };
}

function judgedStep(step: StepResult): Judged {
  const { result, why, checks } = step;
  const failed = checks.filter((check) => check.result === "failed").map(checkInWords);
  return { result, message: failed.join("; ") || why, details: detailLines(step) };
}
