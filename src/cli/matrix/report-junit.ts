/** A matrix's result as JUnit XML: one test case for the defaults, and one for each row. */

import { type JunitCase, type JunitOutcome, junitXml } from "../../play/reports/junit.ts";
import { endingText, type MatrixResult, overridesIn, type RowResult } from "./result.ts";
import type { FinishedRun } from "./runner.ts";

const SUITE = "adsim.matrix";

export function reportJunit(result: MatrixResult, startedMs: number, durationMs: number): string {
  const { verdict, strength, seed, counts, rows, defaults } = result;
  const width = String(rows.length).length;
  const caseOf = (name: string, run: FinishedRun | null, outcome: JunitOutcome): JunitCase => ({
    ...{ name, className: SUITE, outcome },
    durationMs: run?.durationMs ?? 0,
  });
  return junitXml({
    name: SUITE,
    startedMs,
    durationMs,
    properties: { verdict, strength: String(strength), seed, runs: String(counts.runs) },
    cases: [
      caseOf("defaults", defaults.runs[0] ?? null, defaultsOutcome(result)),
      ...rows.map((row) => {
        const name = `row ${String(row.row).padStart(width, "0")}`;
        return caseOf(name, row.run, rowOutcome(result, row));
      }),
    ],
  });
}

function defaultsOutcome(result: MatrixResult): JunitOutcome {
  const { verdict, defaults } = result;
  const { runs, reproduce } = defaults;
  if (runs.length < 2) return { kind: "skipped" };
  const failed = runs.find(({ passed }) => !passed);
  if (failed !== undefined) {
    const again = verdict === "flaky" ? ", but passed in another run" : "";
    return failure(result, `CMD failed with the defaults${again}`, [reproduce], failed);
  }
  if (verdict !== "never-calls-the-server") return { kind: "passed" };
  const message = "CMD sent no request to the server at ADSIM_URL";
  return { kind: "failure", type: verdict, message, text: reproduce };
}

function rowOutcome(result: MatrixResult, { run, reliances, reproduce }: RowResult): JunitOutcome {
  if (run === null) return { kind: "skipped" };
  if (run.passed) return { kind: "passed" };
  const relied = reliances.flatMap((place) => result.reliances[place] ?? []);
  if (relied.length === 0) {
    return failure(result, "failed; no smallest set was found", [reproduce], run);
  }
  const sets = relied.map(({ assume }) => overridesIn(assume).join(" and "));
  const lines = relied.map((reliance) => reliance.reproduce);
  return failure(result, `fails with ${sets.join("; with ")}`, lines, run);
}

function failure(
  { timeLimit, verdict: type }: MatrixResult,
  message: string,
  reproduce: readonly string[],
  run: FinishedRun,
): JunitOutcome {
  const { file, tail = [] } = run.output ?? {};
  const output = file === undefined ? [] : [`The output is in ${file}. It ends with:`, ...tail];
  const text = [...reproduce, `CMD: ${endingText(run, timeLimit)}`, ...output].join("\n");
  return { kind: "failure", type, message, text };
}
