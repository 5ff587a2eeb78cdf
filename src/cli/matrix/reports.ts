/** A matrix's result as text, and as JUnit XML with a test case for the defaults and one for each row. */

import { dirname } from "node:path";
import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { keyAndChoiceOf } from "../../choices/choice-overrides.ts";
import { plural } from "../../play/measure/quantities.ts";
import { type JunitCase, type JunitOutcome, junitXml } from "../../play/reports/junit.ts";
import { paragraphs } from "../../play/reports/lines.ts";
import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import type { MatrixResult } from "./result.ts";
import type { Run } from "./runner.ts";

type Lines = readonly string[];

/** `advice`: for a client that sent no request. */
export function reportText(result: MatrixResult, advice: string): string {
  const { interruptedBy, reliances, flaky } = result;
  return paragraphs([
    interruptedBy === undefined ? [] : [`Interrupted by ${interruptedBy}. The results so far:`],
    ...verdictSections(result, advice),
    reliances.length > 0 && flaky.length > 0 ? flakyLines(result) : [],
    countLines(result),
    notVaried(result),
  ]);
}

/** By strength, from 1. */
const combinations = ["choice", "pair of choices", "triple of choices"] as const;

function verdictSections(result: MatrixResult, advice: string): readonly Lines[] {
  const { verdict, defaults, varied, strength } = result;
  const { runs, reproduce } = defaults;
  const failed = runs.find(({ passed }) => !passed);
  const unlikeAny = `no ${combinations[strength - 1]} of ${plural(varied.length, "assumption")}`;
  switch (verdict) {
    case "green":
      return [[`Your client passes everywhere: ${unlikeAny} makes it fail.`]];
    case "relies":
      return reliesSections(result);
    case "flaky":
      if (failed === undefined) return [flakyLines(result)];
      return [
        [
          "Your client is flaky: of two runs with the defaults, one passed and one failed. First make it pass every time:",
          `    ${reproduce}`,
        ],
        tail("in the run that failed", failed),
      ];
    case "fails-on-defaults":
      return [
        [
          "Your client fails with the defaults, so there is nothing to compare with. First make it pass:",
          `    ${reproduce}`,
        ],
        ...(failed === undefined ? [] : [tail("with the defaults", failed)]),
        failed?.requests === 0 && !failed.inProcess ? [`It sent no request. ${advice}`] : [],
      ];
    case "never-calls-the-server":
      return [
        [
          "Your client passed but sent no request to adsim, so there is no result.",
          advice,
          "Tests that simulate the service in their own process need simulatorFromEnvironment(), createHandlers() or adsim/vitest.",
        ],
      ];
    case "interrupted":
      return [["No choice was found that makes your client fail."]];
  }
}

function reliesSections({ reliances, complete }: MatrixResult): readonly Lines[] {
  // Choices of one key that each fail alone are one group, described by the first of them.
  const groups = groupedBy(reliances, ({ assume }) =>
    assume.length === 1 ? keyAndChoiceOf(assume.join())[0] : assume.join("+"),
  );
  const all = [...groups.values()];
  return [
    [
      "Your client fails under these choices:",
      "",
      ...all.flatMap(([first, ...others]) => {
        const more = others.map(({ assume }) => ` or ${keyAndChoiceOf(assume.join())[1]}`);
        return [
          `  ${first.assume.join(" and ")}${more.join("")}`,
          ...first.assume.map((one) => `      ${cautionOn(one)}`),
          `      Reproduce: ${first.reproduce}`,
        ];
      }),
    ],
    complete ? [] : ["There may be more: adsim didn't examine all that failed to the end."],
    ...all.flatMap(([{ run, assume }]) =>
      run === null ? [] : [tail(`with ${assume.join(" and ")}`, run)],
    ),
  ];
}

/** What not to rely on. */
function cautionOn(override: string): string {
  // Overrides have keys of the catalogue.
  return catalogue[keyAndChoiceOf(override)[0] as AssumptionKey].caution;
}

function flakyLines({ flaky }: MatrixResult): Lines {
  return [
    "Your client is flaky: under the same choices it failed once and passed once.",
    "",
    ...flaky.flatMap(({ assume, reproduce }) => [
      `  ${assume.join(" and ")}`,
      `      Try again: ${reproduce}`,
    ]),
    "",
    "If two CMDs can't run at the same time (they use one port, or write one file), use --jobs 1.",
  ];
}

function tail(when: string, { ended, output }: Run): Lines {
  const { file, tail: lines = [] } = output ?? {};
  if (lines.length === 0) return [`CMD ${when}: ${ended}, and no output.`];
  return [
    `CMD ${when}: ${ended}. Its last lines (the whole output is in ${file}):`,
    ...lines.map((line) => `    ${line}`),
  ];
}

function countLines({ counts, rows }: MatrixResult): Lines {
  const open = rows.filter(({ run }) => run === null).length;
  const notRun = open === 0 ? "" : `, ${open} not run`;
  const file = rows.find(({ run }) => run?.output !== undefined)?.run?.output?.file;
  return [
    `${plural(counts.rows, "combination")} of choices, ${counts.failed} failed${notRun}; ${plural(counts.runs, "run")} in all.`,
    ...(file === undefined ? [] : [`The output of each one that failed is in ${dirname(file)}.`]),
  ];
}

/** Keys that weren't varied, and why. */
function notVaried({ verdict, unreached, fixed, kept, counts }: MatrixResult): Lines {
  const isTried = ["green", "relies", "interrupted"].includes(verdict);
  const saved =
    counts.planned > counts.rows
      ? ` With them there would be ${plural(counts.planned, "combination")}.`
      : "";
  const about = (keys: readonly string[], why: string, more: string): Lines =>
    keys.length === 0 ? [] : [`${why}: ${formatList(keys)}.${more}`];
  return [
    ...(isTried
      ? [
          ...about(
            unreached,
            "Not varied, because they shaped no answer to your client",
            `${saved} --only KEY varies a key in any case.`,
          ),
          ...about(
            fixed,
            "Not varied, because a client must send one encoding",
            " --only KEY varies it.",
          ),
        ]
      : []),
    ...about(kept, "Your tests choose these themselves, so they weren't varied there", ""),
  ];
}

const SUITE = "adsim.matrix";

export function reportJunit(result: MatrixResult, startedMs: number, durationMs: number): string {
  const { verdict, rows, defaults, reliances } = result;
  const caseOf = (name: string, run: Run | null, why: string, reproduce: Lines): JunitCase => ({
    ...{ name, className: SUITE, durationMs: run?.durationMs ?? 0 },
    outcome: outcomeOf(verdict, run, why, reproduce),
  });
  const width = String(rows.length).length;
  const worst = defaults.runs.find(({ passed }) => !passed) ?? defaults.runs[1] ?? null;
  const byDefault = caseOf("defaults", worst, "CMD failed with the defaults", [defaults.reproduce]);
  return junitXml({
    ...{ name: SUITE, startedMs, durationMs },
    cases: [
      verdict === "never-calls-the-server"
        ? { ...byDefault, outcome: failure(verdict, "CMD sent no request", defaults.reproduce) }
        : byDefault,
      ...rows.map(({ run, reproduce, reliances: places }, index) => {
        const relied = places.flatMap((place) => reliances[place] ?? []);
        const sets = relied.map(({ assume }) => assume.join(" and ")).join("; with ");
        const why = sets === "" ? "failed; no smallest set was found" : `fails with ${sets}`;
        const lines = relied.length === 0 ? [reproduce] : relied.map((one) => one.reproduce);
        return caseOf(`row ${String(index + 1).padStart(width, "0")}`, run, why, lines);
      }),
    ],
  });
}

function outcomeOf(type: string, run: Run | null, message: string, reproduce: Lines): JunitOutcome {
  if (run === null) return { kind: "skipped" };
  if (run.passed) return { kind: "passed" };
  const { file, tail: lines = [] } = run.output ?? {};
  const output = file === undefined ? [] : [`The output is in ${file}. It ends with:`, ...lines];
  return failure(type, message, [...reproduce, `CMD: ${run.ended}`, ...output].join("\n"));
}

function failure(type: string, message: string, text: string): JunitOutcome {
  return { kind: "failure", type, message, text };
}
