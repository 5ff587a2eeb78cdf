/** A matrix's findings for people. */

import { dirname } from "node:path";
import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { compareSets, type Departures, partsOf } from "./departures.ts";
import { endingText, type Findings, rowOf, verdictOf } from "./findings.ts";
import { reproduceLine } from "./reproduce.ts";
import type { FinishedRun } from "./runner.ts";

export function reportText(findings: Findings): string {
  const { interruptedBy, found } = findings;
  const sections = [
    ...(interruptedBy === undefined
      ? []
      : [[`Interrupted by ${interruptedBy}. What is known so far:`]]),
    ...verdictSections(findings),
    ...(found.minimal.length > 0 && found.unstable.length > 0 ? [flaky(findings)] : []),
    counts(findings),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

type Lines = readonly string[];

function verdictSections(findings: Findings): readonly Lines[] {
  const { defaults, plan, flags } = findings;
  const verdict = verdictOf(findings);
  switch (verdict) {
    case "green":
      return [
        [
          `Your client passes everywhere: no ${combination[flags.strength]} makes it fail, of ${counted(plan.varied.length, "open point")}.`,
        ],
      ];
    case "relies":
      return relies(findings);
    case "flaky":
      return defaults[0]?.passed === defaults[1]?.passed
        ? [flaky(findings)]
        : flakyOnDefaults(findings);
    case "fails-on-defaults":
      return failsOnDefaults(findings);
    case "never-calls-the-server":
      return [
        [
          "Your client passed and sent no request to the server, so nothing can be said about it.",
          "Let it take its base URL from ADSIM_URL, and the rest from ADSIM_API_KEY, ADSIM_PUBLISHER_ID and ADSIM_SURFACE_ID.",
        ],
      ];
    case "interrupted":
      return [["No reliance was found."]];
  }
}

const combination = {
  "1": "choice",
  "2": "pair of choices",
  "3": "triple of choices",
} as const;

/** Sets of one choice each that are of one key, or one larger set. */
interface Group {
  readonly title: string;
  readonly keys: readonly string[];
  readonly sets: readonly [Departures, ...Departures[]];
}

function relies(findings: Findings): readonly Lines[] {
  const { found } = findings;
  const groups = grouped([...found.minimal].sort(compareSets));
  const list = groups.flatMap(({ title, keys, sets: [first] }) => [
    `  ${title}`,
    // Departures are made from the catalogue's keys.
    ...keys.map((key) => `      Don't rely on: ${catalogue[key as AssumptionKey].caution}`),
    `      Reproduce: ${reproduceLine(findings, first)}`,
  ]);
  const incomplete = found.isComplete
    ? []
    : [["There may be more: not all that the failing rows can show was looked at."]];
  const tails = groups.flatMap(({ sets: [first] }) => {
    const run = findings.runner.confirmed(first);
    return run?.output === undefined ? [] : [tail(findings, `with ${first.join(" and ")}`, run)];
  });
  return [["Your client relies on:", "", ...list], ...incomplete, ...tails];
}

function grouped(sets: readonly Departures[]): readonly Group[] {
  const byKey = new Map<string, [Departures, ...Departures[]]>();
  for (const set of sets) {
    const name = set.length === 1 ? partsOf(set[0] ?? "")[0] : set.join("+");
    const group = byKey.get(name);
    if (group === undefined) byKey.set(name, [set]);
    else group.push(set);
  }
  return [...byKey.values()].map((group) => {
    const [first, ...others] = group;
    const more = others.flat().map((departure) => `, ${partsOf(departure)[1]}`);
    const named = first.map((departure) => partsOf(departure).join(" ≠ "));
    return {
      title: `${named.join(" together with ")}${more.join("")}`,
      keys: first.map((departure) => partsOf(departure)[0]),
      sets: group,
    };
  });
}

function flaky(findings: Findings): Lines {
  const sets = [...findings.found.unstable].sort(compareSets);
  return [
    "Your client is flaky: under the same choices it failed once and passed once.",
    "",
    ...sets.flatMap((set) => {
      const row = rowOf(findings, set);
      return [
        `  ${row === undefined ? set.join(" and ") : `row ${row}`}`,
        `      Try again: ${reproduceLine(findings, set)}`,
      ];
    }),
    "",
    JOBS_HINT,
  ];
}

const JOBS_HINT =
  "If CMD can't run beside itself (it takes a fixed port, or writes a file that is shared), use --jobs 1.";

function flakyOnDefaults(findings: Findings): readonly Lines[] {
  const failed = findings.defaults.find(({ passed }) => !passed);
  return [
    [
      "Your client is flaky: of two runs on the defaults one passed and one failed. Make it pass each time first:",
      `    ${reproduceLine(findings, [])}`,
    ],
    ...(failed === undefined ? [] : [tail(findings, "in the run that failed", failed)]),
  ];
}

function failsOnDefaults(findings: Findings): readonly Lines[] {
  const run = findings.defaults.at(-1);
  return [
    [
      "Your client fails on the defaults, so there is nothing to compare with. Make it pass there first:",
      `    ${reproduceLine(findings, [])}`,
      ...(run?.requests === 0 ? ["It sent no request to the server at ADSIM_URL."] : []),
    ],
    ...(run === undefined ? [] : [tail(findings, "on the defaults", run)]),
  ];
}

function tail({ flags }: Findings, when: string, run: FinishedRun): Lines {
  const ended = endingText(run, flags.timeLimit);
  if (run.output === undefined) return [`CMD ${when}: ${ended}.`];
  const { file, tail: lines } = run.output;
  if (lines.length === 0) return [`CMD ${when}: ${ended}, and no output.`];
  return [
    `CMD ${when}: ${ended}. Its last lines, all of them in ${file}:`,
    ...lines.map((line) => `    ${line}`),
  ];
}

function counts({ plan, rows, runner, flags }: Findings): Lines {
  const failed = rows.filter((run) => run?.passed === false).length;
  const open = rows.filter((run) => run === undefined).length;
  const runs = `${counted(runner.runs, "run")} in all.`;
  if (open === rows.length) return [`None of the ${counted(rows.length, "row")} was run; ${runs}`];
  const notRun = open === 0 ? "" : `, ${open} not run`;
  const file = rows.find((run) => run?.output !== undefined)?.output?.file;
  return [
    `${counted(plan.rows.length, "row")} of strength ${flags.strength}, ${failed} failed${notRun}; ${runs}`,
    ...(file === undefined ? [] : [`The output of each row that failed is in ${dirname(file)}.`]),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
