/** A matrix's findings as JUnit XML: a test case for the defaults, and one a row. */

import { type JunitCase, type JunitOutcome, junitXml } from "../../play/reports/junit.ts";
import { compareSets, type Departures, isWithin } from "./departures.ts";
import { endingText, type Findings, verdictOf } from "./findings.ts";
import { reproduceLine } from "./reproduce.ts";
import type { FinishedRun } from "./runner.ts";

export function reportJunit(findings: Findings, startedMs: number, durationMs: number): string {
  const { plan, rows, flags } = findings;
  const width = String(rows.length).length;
  const cases = plan.rows.map((departures, index): JunitCase => {
    const run = rows[index];
    return {
      name: `row ${String(index + 1).padStart(width, "0")}`,
      className: SUITE,
      durationMs: run?.durationMs ?? 0,
      outcome: rowOutcome(findings, departures, run),
    };
  });
  return junitXml({
    name: SUITE,
    startedMs,
    durationMs,
    properties: {
      verdict: verdictOf(findings),
      strength: flags.strength,
      seed: flags.seed ?? "adsim",
      runs: String(findings.runner.runs),
    },
    cases: [defaultsCase(findings), ...cases],
  });
}

const SUITE = "adsim.matrix";

function defaultsCase(findings: Findings): JunitCase {
  const { defaults } = findings;
  return {
    name: "defaults",
    className: SUITE,
    durationMs: defaults[0]?.durationMs ?? 0,
    outcome: defaultsOutcome(findings),
  };
}

function defaultsOutcome(findings: Findings): JunitOutcome {
  const { defaults } = findings;
  if (defaults.length < 2) return { kind: "skipped" };
  const failed = defaults.find(({ passed }) => !passed);
  const verdict = verdictOf(findings);
  if (failed !== undefined) {
    const again = verdict === "flaky" ? ", and passed in another run" : "";
    return failure(findings, verdict, `CMD failed on the defaults${again}`, [], failed);
  }
  if (verdict === "never-calls-the-server") {
    const message = "CMD sent no request to the server at ADSIM_URL";
    return { kind: "failure", type: verdict, message, text: reproduceLine(findings, []) };
  }
  return { kind: "passed" };
}

function rowOutcome(
  findings: Findings,
  departures: Departures,
  run: FinishedRun | undefined,
): JunitOutcome {
  if (run === undefined) return { kind: "skipped" };
  if (run.passed) return { kind: "passed" };
  const { minimal, unstable } = findings.found;
  const sets = [...minimal].sort(compareSets).filter((set) => isWithin(set, departures));
  if (sets.length > 0) {
    const message = `fails with ${sets.map((set) => set.join(" and ")).join("; with ")}`;
    return failure(findings, "relies", message, sets, run);
  }
  const isFlaky = unstable.some((set) => isWithin(set, departures));
  return isFlaky
    ? failure(findings, "flaky", "failed, and passed when run again", [departures], run)
    : failure(findings, "failed", "failed; the reason wasn't found", [departures], run);
}

function failure(
  findings: Findings,
  type: string,
  message: string,
  sets: readonly Departures[],
  run: FinishedRun,
): JunitOutcome {
  const lines = (sets.length === 0 ? [[]] : sets).map((set) => reproduceLine(findings, set));
  const ended = `CMD: ${endingText(run, findings.flags.timeLimit)}`;
  const output =
    run.output === undefined ? [] : [`Output in ${run.output.file}, its end:`, ...run.output.tail];
  return { kind: "failure", type, message, text: [...lines, ended, ...output].join("\n") };
}
