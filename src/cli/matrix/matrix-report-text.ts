/** A matrix's result as text. */

import { dirname } from "node:path";
import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { plural } from "../../play/measure/quantities.ts";
import { paragraphs } from "../../play/reports/lines.ts";
import { TAKES_FROM_ENVIRONMENT } from "../output/report-text.ts";
import { endingText, type MatrixResult, overridesIn, type Reliance } from "./matrix-result.ts";
import type { FinishedRun } from "./runner.ts";

export function reportText(result: MatrixResult): string {
  const { interruptedBy, reliances, flaky } = result;
  return paragraphs([
    ...(interruptedBy === undefined
      ? []
      : [[`Interrupted by ${interruptedBy}. The results so far:`]]),
    ...verdictSections(result),
    ...(reliances.length > 0 && flaky.length > 0 ? [flakyLines(result)] : []),
    countLines(result),
    leftOut(result),
  ]);
}

type Lines = readonly string[];

function verdictSections(result: MatrixResult): readonly Lines[] {
  const { verdict, defaults, varied, strength } = result;
  switch (verdict) {
    case "green":
      return [
        [
          `Your client passes everywhere: no ${combinations[strength - 1]} of ${plural(varied.length, "assumption")} makes it fail.`,
        ],
      ];
    case "relies":
      return relies(result);
    case "flaky": {
      const [first, second] = defaults.runs;
      return first?.passed === second?.passed ? [flakyLines(result)] : flakyOnDefaults(result);
    }
    case "fails-on-defaults":
      return failsOnDefaults(result);
    case "never-calls-the-server":
      return [
        [
          "Your client passed but sent no request to adsim, so there is no result.",
          TAKES_FROM_ENVIRONMENT,
          "Tests that simulate the service in their own process need simulatorFromEnvironment(), createHandlers() or adsim/vitest.",
        ],
      ];
    case "interrupted":
      return [["No choice was found that makes your client fail."]];
  }
}

/** By strength, from 1. */
const combinations = ["choice", "pair of choices", "triple of choices"] as const;

function relies(result: MatrixResult): readonly Lines[] {
  const groups = grouped(result.reliances);
  const list = groups.flatMap(({ title, first }) => [
    `  ${title}`,
    ...Object.values(first.cautions).map((caution) => `      ${caution}`),
    `      Reproduce: ${first.reproduce}`,
  ]);
  const incomplete = result.complete
    ? []
    : [["There may be more: adsim didn't examine all that failed to the end."]];
  const tails = groups.flatMap(({ first: { run, assume } }) =>
    run?.output === undefined
      ? []
      : [tail(result, `with ${overridesIn(assume).join(" and ")}`, run)],
  );
  return [["Your client fails under these choices:", "", ...list], ...incomplete, ...tails];
}

/** Choices of one key that each fail alone are one group, described by the first of them. */
function grouped(
  reliances: readonly Reliance[],
): readonly { readonly title: string; readonly first: Reliance }[] {
  const groups = groupedBy(reliances, ({ assume }) => {
    const [key = "", ...others] = Object.keys(assume);
    return others.length === 0 ? key : overridesIn(assume).join("+");
  });
  return Array.from(groups.values(), ([first, ...others]) => {
    const named = Object.entries(first.assume);
    if (named.length > 1) {
      const all = named.map((parts) => parts.join(" = "));
      return {
        title: `fails when ${quantifiers[named.length] ?? "all"}: ${formatList(all)}`,
        first,
      };
    }
    const more = others.flatMap(({ assume }) => Object.values(assume).map((one) => ` or ${one}`));
    return { title: `${overridesIn(first.assume).join("")}${more.join("")}`, first };
  });
}

const quantifiers: Readonly<Record<number, string>> = { 2: "both", 3: "all three" };

function flakyLines({ flaky }: MatrixResult): Lines {
  return [
    "Your client is flaky: under the same choices it failed once and passed once.",
    "",
    ...flaky.flatMap(({ assume, row, reproduce }) => [
      `  ${row === null ? overridesIn(assume).join(" and ") : `row ${row}`}`,
      `      Try again: ${reproduce}`,
    ]),
    "",
    "If two CMDs can't run at the same time (they use one port, or write one file), use --jobs 1.",
  ];
}

function flakyOnDefaults(result: MatrixResult): readonly Lines[] {
  const { runs, reproduce } = result.defaults;
  const failed = runs.find(({ passed }) => !passed);
  return [
    [
      "Your client is flaky: of two runs with the defaults, one passed and one failed. First make it pass every time:",
      `    ${reproduce}`,
    ],
    ...(failed === undefined ? [] : [tail(result, "in the run that failed", failed)]),
  ];
}

function failsOnDefaults(result: MatrixResult): readonly Lines[] {
  const { runs, reproduce } = result.defaults;
  const run = runs.at(-1);
  const isSilent = run?.requests === 0 && !run.inProcess;
  return [
    [
      "Your client fails with the defaults, so there is nothing to compare with. First make it pass:",
      `    ${reproduce}`,
      ...(isSilent ? ["It sent no request to the server at ADSIM_URL."] : []),
    ],
    ...(run === undefined ? [] : [tail(result, "with the defaults", run)]),
  ];
}

function tail({ timeLimit }: MatrixResult, when: string, run: FinishedRun): Lines {
  const ended = endingText(run, timeLimit);
  if (run.output === undefined) return [`CMD ${when}: ${ended}.`];
  const { file, tail: lines } = run.output;
  if (lines.length === 0) return [`CMD ${when}: ${ended}, and no output.`];
  return [
    `CMD ${when}: ${ended}. Its last lines (the whole output is in ${file}):`,
    ...lines.map((line) => `    ${line}`),
  ];
}

function countLines({ counts: { rows: count, failed, runs }, rows }: MatrixResult): Lines {
  const open = rows.filter(({ run }) => run === null).length;
  const inAll = `${plural(runs, "run")} in all.`;
  if (open === count)
    return [`None of the ${plural(count, "combination")} of choices was tried; ${inAll}`];
  const notRun = open === 0 ? "" : `, ${open} not run`;
  const file = rows.find(({ run }) => run?.output !== undefined)?.run?.output?.file;
  return [
    `${plural(count, "combination")} of choices, ${failed} failed${notRun}; ${inAll}`,
    ...(file === undefined ? [] : [`The output of each one that failed is in ${dirname(file)}.`]),
  ];
}

/** Keys that weren't varied, and why. */
function leftOut({ verdict, unreached, kept, counts }: MatrixResult): Lines {
  const saved =
    counts.planned > counts.rows
      ? ` With them there would be ${plural(counts.planned, "combination")}.`
      : "";
  const isTried = verdict === "green" || verdict === "relies" || verdict === "interrupted";
  return [
    ...(isTried && unreached.length > 0
      ? [
          `Not varied, because they shaped no answer to your client: ${formatList(unreached)}.${saved} --only KEY varies a key in any case.`,
        ]
      : []),
    ...(kept.length > 0
      ? [`Your tests choose these themselves, so they weren't varied there: ${formatList(kept)}.`]
      : []),
  ];
}
