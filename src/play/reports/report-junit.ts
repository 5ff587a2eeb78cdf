/**
 * A result as JUnit XML: a test case for each step with checks, invariant and threshold. Times are the target's. The XML is valid
 * by the schemas of both Ant and Jenkins' xUnit plugin.
 */

import { checkInWords } from "../player/matching.ts";
import type { PlayResult, StepResult } from "../player/result.ts";
import { detailLines, stepLine } from "./lines.ts";
import { type Markup, markup } from "./markup.ts";

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

interface JunitSuite {
  readonly name: string;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly cases: readonly JunitCase[];
}

export interface JunitCase {
  readonly name: string;
  /** Reports group cases by it. */
  readonly className: string;
  readonly durationMs: number;
  readonly outcome: JunitOutcome;
}

/** Reports list the `message`, and show the `text` of a failure or error when the case is opened. */
interface JunitOutcome {
  readonly kind: "passed" | "skipped" | "failure" | "error";
  readonly message?: string;
  readonly text?: string;
}

export function junitXml(...suites: readonly JunitSuite[]): string {
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
${suites.map(suiteXml)}</testsuites>
`.markup;
}

/** `id`: its place in the file. */
function suiteXml(suite: JunitSuite, id: number): Markup {
  const { name, startedMs, durationMs, cases } = suite;
  const count = (kind: JunitOutcome["kind"]): number =>
    cases.filter(({ outcome }) => outcome.kind === kind).length;
  // The schema requires a time without a zone.
  const timestamp = new Date(startedMs).toISOString().slice(0, 19);
  return markup`<testsuite name="${name}" package="${name}" id="${id}" hostname="localhost"
  timestamp="${timestamp}" time="${seconds(durationMs)}" tests="${cases.length}"
  failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}">
<properties></properties>
${cases.map(caseXml)}<system-out></system-out>
<system-err></system-err>
</testsuite>
`;
}

function caseXml({ name, className, durationMs, outcome }: JunitCase): Markup {
  const time = seconds(durationMs);
  return markup`<testcase name="${name}" classname="${className}" time="${time}">${outcomeXml(outcome)}</testcase>
`;
}

function outcomeXml({ kind, message = "", text = "" }: JunitOutcome): Markup {
  if (kind === "passed") return markup``;
  if (kind === "skipped") return markup`<skipped message="${message}"/>`;
  const inside = markup`type="${kind}" message="${message}">${text}`;
  return kind === "error" ? markup`<error ${inside}</error>` : markup`<failure ${inside}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
