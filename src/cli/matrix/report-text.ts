/** A matrix's result as text. */

import { dirname } from "node:path";
import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { plural } from "../../play/measure/quantities.ts";
import { paragraphs } from "../../play/reports/lines.ts";
import { endingText, type MatrixResult, overridesIn, type Reliance } from "./result.ts";
import type { FinishedRun } from "./runner.ts";

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

function verdictSections(result: MatrixResult, advice: string): readonly Lines[] {
  const { verdict, defaults, varied, strength } = result;
  const { runs, reproduce } = defaults;
  const failed = runs.find(({ passed }) => !passed);
  switch (verdict) {
    case "green":
      return [
        [
          `Your client passes everywhere: no ${combinations[strength - 1]} of ${plural(varied.length, "assumption")} makes it fail.`,
        ],
      ];
    case "relies":
      return relies(result);
    case "flaky":
      if (failed === undefined || runs.every(({ passed }) => !passed)) return [flakyLines(result)];
      return [
        [
          "Your client is flaky: of two runs with the defaults, one passed and one failed. First make it pass every time:",
          `    ${reproduce}`,
        ],
        tail(result, "in the run that failed", failed),
      ];
    case "fails-on-defaults":
      return [
        [
          "Your client fails with the defaults, so there is nothing to compare with. First make it pass:",
          `    ${reproduce}`,
          ...(failed?.requests === 0 && !failed.inProcess
            ? [`It sent no request to the server at ADSIM_URL. ${advice}`]
            : []),
        ],
        ...(failed === undefined ? [] : [tail(result, "with the defaults", failed)]),
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

/** By strength, from 1. */
const combinations = ["choice", "pair of choices", "triple of choices"] as const;

function relies(result: MatrixResult): readonly Lines[] {
  // Choices of one key that each fail alone are one group, described by the first of them.
  const groups = groupedBy(result.reliances, ({ assume }) => {
    const keys = Object.keys(assume);
    return keys.length === 1 ? keys[0] : overridesIn(assume).join("+");
  });
  const firsts = Array.from(groups.values(), (group) => ({ title: titleOf(group), ...group[0] }));
  return [
    [
      "Your client fails under these choices:",
      "",
      ...firsts.flatMap(({ title, cautions, reproduce }) => [
        `  ${title}`,
        ...Object.values(cautions).map((caution) => `      ${caution}`),
        `      Reproduce: ${reproduce}`,
      ]),
    ],
    result.complete ? [] : ["There may be more: adsim didn't examine all that failed to the end."],
    ...firsts.flatMap(({ run, assume }) =>
      run === null ? [] : [tail(result, `with ${overridesIn(assume).join(" and ")}`, run)],
    ),
  ];
}

function titleOf([first, ...others]: readonly [Reliance, ...Reliance[]]): string {
  const named = Object.entries(first.assume);
  if (named.length === 1) {
    const more = others.flatMap(({ assume }) => Object.values(assume).map((one) => ` or ${one}`));
    return `${overridesIn(first.assume).join("")}${more.join("")}`;
  }
  const quantifier = named.length === 2 ? "both" : "all";
  return `fails when ${quantifier}: ${formatList(named.map((parts) => parts.join(" = ")))}`;
}

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

function tail({ timeLimit }: MatrixResult, when: string, run: FinishedRun): Lines {
  const ended = endingText(run, timeLimit);
  const { file, tail: lines = [] } = run.output ?? {};
  if (lines.length === 0) return [`CMD ${when}: ${ended}, and no output.`];
  return [
    `CMD ${when}: ${ended}. Its last lines (the whole output is in ${file}):`,
    ...lines.map((line) => `    ${line}`),
  ];
}

function countLines({ counts: { rows: count, failed, runs }, rows }: MatrixResult): Lines {
  const open = rows.filter(({ run }) => run === null).length;
  const notRun = open === 0 ? "" : `, ${open} not run`;
  const file = rows.find(({ run }) => run?.output !== undefined)?.run?.output?.file;
  return [
    `${plural(count, "combination")} of choices, ${failed} failed${notRun}; ${plural(runs, "run")} in all.`,
    ...(file === undefined ? [] : [`The output of each one that failed is in ${dirname(file)}.`]),
  ];
}

/** Keys that weren't varied, and why. */
function notVaried({ verdict, unreached, fixed, kept, counts }: MatrixResult): Lines {
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
    ...(isTried && fixed.length > 0
      ? [
          `Not varied, because a client must send one encoding: ${formatList(fixed)}. --only KEY varies it.`,
        ]
      : []),
    ...(kept.length > 0
      ? [`Your tests choose these themselves, so they weren't varied there: ${formatList(kept)}.`]
      : []),
  ];
}
