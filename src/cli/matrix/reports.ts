/** A matrix's result as text, and as JUnit XML with a test case for the defaults and one for each row. */

import { dirname } from "node:path";
import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { isWithin, keyAndChoiceOf } from "../../choices/matrix-plan.ts";
import { plural } from "../../play/measure/quantities.ts";
import { paragraphs } from "../../play/reports/lines.ts";
import { type JunitCase, junitXml } from "../../play/reports/report-junit.ts";
import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { headlines, type MatrixResult } from "./result.ts";
import type { Run } from "./runner.ts";

type Lines = readonly string[];

/** `advice`: for a client that sent no request. */
export function reportText(result: MatrixResult, advice: string): string {
  const { verdict, defaults, reliances, flaky, complete } = result;
  const failed = defaults.runs.find(({ passed }) => !passed);
  const isSilent = defaults.runs.every((run) => run.requests === 0 && !run.inProcess);
  // Choices of one key that each fail alone are one group, described by the first of them.
  const groups = groupedBy(reliances, ({ assume }) =>
    assume.length === 1 ? keyAndChoiceOf(assume.join())[0] : assume.join("+"),
  );
  const all = [...groups.values()];
  return paragraphs([
    [headlines[verdict]],
    failed === undefined ? [] : ["  the defaults", `      Reproduce: ${defaults.reproduce}`],
    isSilent
      ? [
          `It sent no request. ${advice}`,
          "Tests that simulate the service in their own process need simulatorFromEnvironment(), createHandlers() or adsim/vitest.",
        ]
      : [],
    all.flatMap(relianceLines),
    verdict === "relies" && !complete
      ? ["There may be more: adsim didn't examine all that failed to the end."]
      : [],
    verdict === "relies" && flaky.length > 0 ? [headlines.flaky] : [],
    flaky.flatMap(({ assume, reproduce }) => [
      `  ${assume.join(" and ")}`,
      `      Try again: ${reproduce}`,
    ]),
    flaky.length > 0
      ? ["If two CMDs can't run at the same time (they use one port, or one file), use --jobs 1."]
      : [],
    outputLines("with the defaults", failed),
    ...all.map(([{ assume, run }]) => outputLines(`with ${assume.join(" and ")}`, run)),
    countLines(result),
    notVaried(result),
  ]);
}

type Group = readonly [MatrixResult["reliances"][number], ...MatrixResult["reliances"]];

function relianceLines([first, ...others]: Group): Lines {
  const more = others.map(({ assume }) => ` or ${keyAndChoiceOf(assume.join())[1]}`);
  return [
    `  ${first.assume.join(" and ")}${more.join("")}`,
    // Overrides have keys of the catalogue.
    ...first.assume.map(
      (one) => `      ${catalogue[keyAndChoiceOf(one)[0] as AssumptionKey].caution}`,
    ),
    `      Reproduce: ${first.reproduce}`,
  ];
}

function outputLines(when: string, run: Run | undefined): Lines {
  if (run === undefined) return [];
  const { ended, output: { tail: lines = [] } = {} } = run;
  const about = lines.length === 0 ? ", without output." : ". Its output ends with:";
  return [`CMD ${when}: ${ended}${about}`, ...lines.map((line) => `    ${line}`)];
}

function countLines({ defaults, rows, runs }: MatrixResult): Lines {
  const all = [...defaults.runs, ...rows.map(({ run }) => run)];
  const folders = all.flatMap(({ output }) => (output ? dirname(output.file) : [])).slice(0, 1);
  const failed = rows.filter(({ run }) => !run.passed).length;
  const counts = `${plural(rows.length, "combination")} of choices, ${failed} failed; ${plural(runs, "run")} in all.`;
  return [
    ...(rows.length === 0 ? [] : [counts]),
    ...folders.map((folder) => `The whole output of those that failed is in ${folder}.`),
  ];
}

/** Keys that weren't varied, and why. */
function notVaried({ unreached, fixed, kept, rows }: MatrixResult): Lines {
  const about = (why: string, keys: Lines): Lines =>
    keys.length === 0 ? [] : [`${why}: ${formatList(keys)}.`];
  if (rows.length === 0) return [];
  return [
    ...about("Not varied, because they shaped no answer to your client", unreached),
    ...about("Not varied, because a client must send one encoding", fixed),
    ...about("Your tests choose these themselves, so they weren't varied there", kept),
  ];
}

const SUITE = "adsim.matrix";

export function reportJunit(result: MatrixResult, startedMs: number, durationMs: number): string {
  const { verdict, rows, defaults, reliances } = result;
  const [first, second] = defaults.runs;
  const isSilent = verdict === "never-calls-the-server";
  const caseOf = (name: string, run: Run, message: string, reproduce: Lines): JunitCase => {
    const { file, tail = [] } = run.output ?? {};
    const output = file === undefined ? [] : [`The output is in ${file}. It ends with:`, ...tail];
    const text = [...reproduce, `CMD: ${run.ended}`, ...output].join("\n");
    return {
      ...{ name, className: SUITE, durationMs: run.durationMs },
      outcome: { kind: run.passed ? "passed" : "failure", message, text },
    };
  };
  return junitXml({
    ...{ name: SUITE, startedMs, durationMs },
    cases: [
      caseOf(
        "defaults",
        isSilent ? { ...first, passed: false } : first.passed ? second : first,
        isSilent ? "CMD sent no request" : "CMD failed with the defaults",
        [defaults.reproduce],
      ),
      ...rows.map(({ assume: row, run, reproduce }, index) => {
        const relied = reliances.filter(({ assume }) => isWithin(assume, row));
        const sets = relied.map(({ assume }) => assume.join(" and ")).join("; with ");
        const why = sets === "" ? "failed; no smallest set was found" : `fails with ${sets}`;
        const lines = relied.length === 0 ? [reproduce] : relied.map((one) => one.reproduce);
        return caseOf(`row ${String(index + 1).padStart(3, "0")}`, run, why, lines);
      }),
    ],
  });
}
