/**
 * The result of a matrix. The JSON report is this object. From it come the text, and JUnit XML with a test case for the defaults and
 * one for each row.
 */

import { dirname } from "node:path";
import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { adsimLine } from "../../base/shell.ts";
import {
  allKeys,
  type ChoiceOverrides,
  compareSets,
  isWithin,
  keyAndChoiceOf,
  type MatrixPlan,
} from "../../choices/matrix-plan.ts";
import { plural } from "../../play/measure/quantities.ts";
import { paragraphs } from "../../play/reports/lines.ts";
import { type JunitCase, junitXml } from "../../play/reports/report-junit.ts";
import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { execOptions, type matrixOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import type { Run, Runner } from "./runner.ts";
import type { Shrunk } from "./shrink.ts";

/** A client must send one encoding, and isn't to blame for it. */
export const fixedKey = "request.encoding";

export type MatrixCall = Call<FlagsOf<typeof matrixOptions>>;

/** What each verdict means. */
const headlines = {
  green: "Your client passes everywhere.",
  relies: "Your client fails under these choices:",
  "fails-on-defaults":
    "Your client fails with the defaults, so there is nothing to compare with. First make it pass:",
  "never-calls-the-server":
    "Your client passes, but sends no request to adsim, so there is no result.",
  flaky: "Your client is flaky: under the same choices it failed once and passed once.",
};

type MatrixVerdict = keyof typeof headlines;

/** Choices other than the defaults, as `KEY=CHOICE`, and the line that runs CMD under them. */
interface Tried {
  readonly assume: ChoiceOverrides;
  readonly reproduce: string;
}

export interface MatrixResult {
  readonly version: 1;
  readonly verdict: MatrixVerdict;
  readonly strength: number;
  readonly pinned: ChoiceOverrides;
  readonly varied: readonly AssumptionKey[];
  /** Keys that were left out because they shaped no answer to CMD. */
  readonly unreached: readonly AssumptionKey[];
  /** Keys that weren't varied because a client has to decide for one choice. */
  readonly fixed: readonly AssumptionKey[];
  /** Keys that CMD chose itself in some of its worlds, where they weren't varied. */
  readonly kept: readonly AssumptionKey[];
  /** How often CMD ran. */
  readonly runs: number;
  readonly defaults: { readonly reproduce: string; readonly runs: readonly [Run, Run] };
  /** None after defaults that didn't pass. */
  readonly rows: readonly (Tried & { readonly run: Run })[];
  /** The smallest sets of choices that make CMD fail. */
  readonly reliances: readonly (Tried & { readonly run: Run | undefined })[];
  /** Whether the failing rows were searched completely. */
  readonly complete: boolean;
  /** Sets of choices under which CMD failed and passed. */
  readonly flaky: readonly Tried[];
}

export function verdictOf(defaults: readonly Run[], found: Shrunk): MatrixVerdict {
  if (defaults.every((run) => !run.passed)) return "fails-on-defaults";
  if (defaults.some((run) => !run.passed)) return "flaky";
  if (!defaults.some((run) => run.requests > 0 || run.inProcess)) return "never-calls-the-server";
  if (found.minimal.length > 0) return "relies";
  return found.unstable.length > 0 ? "flaky" : "green";
}

/** What the runs showed, before it is put into words. */
export interface Findings {
  /** The two runs with the defaults. */
  readonly defaults: readonly [Run, Run];
  readonly varied: readonly AssumptionKey[];
  readonly rows: readonly { readonly assume: ChoiceOverrides; readonly run: Run }[];
  readonly found: Shrunk;
}

/** `whole`: the plan over all keys that could be varied. */
export function resultOf(
  { flags, words, given }: MatrixCall,
  whole: MatrixPlan,
  runner: Runner,
  { defaults, varied, rows, found }: Findings,
): MatrixResult {
  const options = given(Object.keys(execOptions).filter((name) => name !== "json"));
  const tried = (assume: ChoiceOverrides): Tried => {
    const choices = assume.flatMap((choice) => ["--assume", choice]);
    return { assume, reproduce: adsimLine(["exec", ...options, ...choices, "--", ...words]) };
  };
  const isPinned = whole.pins.some((pin) => keyAndChoiceOf(pin)[0] === fixedKey);
  return {
    version: 1,
    verdict: verdictOf(defaults, found),
    strength: Number(flags.strength),
    pinned: whole.pins,
    varied,
    unreached: whole.varied.filter((key) => !varied.includes(key)),
    fixed: flags.only === undefined && !isPinned ? [fixedKey] : [],
    kept: allKeys.filter((key) => runner.reached.some((one) => "kept" in one && one.kept === key)),
    runs: runner.started.length,
    defaults: { reproduce: tried([]).reproduce, runs: defaults },
    rows: rows.map(({ assume, run }) => ({ ...tried(assume), run })),
    reliances: [...found.minimal]
      .sort(compareSets)
      .map((set) => ({ ...tried(set), run: runner.last(set) })),
    complete: found.isComplete,
    flaky: [...found.unstable].sort(compareSets).map(tried),
  };
}

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
