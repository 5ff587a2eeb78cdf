/**
 * The result of a matrix. The JSON report is this object; the other reports are made from it. A release that only adds
 * members keeps the version; any other change raises it.
 */

import { adsimLine } from "../../base/shell.ts";
import {
  type ChoiceOverrides,
  compareSets,
  isWithin,
  keyAndChoiceOf,
  nameOf,
} from "../../choices/choice-overrides.ts";
import { allKeys, type MatrixPlan } from "../../choices/matrix-plan.ts";
import type { Reached } from "../../choices/reached.ts";
import { overrideWords } from "../../play/scenario/overrides.ts";
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
} from "../../spec/assumptions/catalogue.ts";
import type { MatrixFlags } from "./matrix-options.ts";
import type { FinishedRun, Runner } from "./runner.ts";
import type { ShrinkState } from "./shrink.ts";

type Choices = Readonly<Record<string, string>>;

/** The state of a running matrix. It can be turned into a result at any moment. */
export interface MatrixState {
  readonly words: readonly string[];
  /** The plan over all keys that could be varied. */
  readonly whole: MatrixPlan;
  readonly flags: MatrixFlags;
  /** The plan over the keys that are varied. */
  plan: MatrixPlan;
  /** What all passed runs together reached, and what failed ones kept. */
  readonly reached: readonly Reached[];
  readonly runner: Pick<Runner, "runs" | "confirmed">;
  /** The two runs on the defaults. */
  readonly defaults: FinishedRun[];
  /** In the order of the plan's rows; undefined for a row that hasn't run. */
  readonly rows: (FinishedRun | undefined)[];
  readonly found: ShrinkState;
  /** The signal that ended the work early. */
  interruptedBy?: NodeJS.Signals;
}

/**
 * - `green`: CMD passes everywhere.
 * - `relies`: some sets of choices make it fail.
 * - `fails-on-defaults`: it failed twice with the defaults.
 * - `never-calls-the-server`: it passed twice with the defaults, without a request.
 * - `flaky`: it failed and passed under the same choices.
 * - `interrupted`: the matrix ended before another verdict was reached.
 */
type MatrixVerdict =
  | "green"
  | "relies"
  | "fails-on-defaults"
  | "never-calls-the-server"
  | "flaky"
  | "interrupted";

export interface RowResult {
  /** Counted from 1. */
  readonly row: number;
  readonly assumptions: Assumptions | undefined;
  /** Null if the row wasn't run. */
  readonly run: FinishedRun | null;
  readonly reproduce: string;
  /** Indexes into the list of reliances. */
  readonly reliances: readonly number[];
}

/** A smallest set of choices that makes CMD fail. */
export interface Reliance {
  readonly assume: Choices;
  /** By key: what not to rely on. */
  readonly cautions: Choices;
  readonly reproduce: string;
  readonly run: FinishedRun | null;
}

export interface MatrixResult {
  readonly format: "adsim-matrix";
  readonly version: 1;
  readonly verdict: MatrixVerdict;
  readonly interrupted: boolean;
  readonly interruptedBy?: NodeJS.Signals;
  readonly strength: number;
  readonly seed: string;
  readonly command: readonly string[];
  /** As given on the command line. */
  readonly timeLimit: string;
  readonly pinned: Choices;
  readonly varied: readonly AssumptionKey[];
  /** Keys that were left out because they shaped no answer to CMD. */
  readonly unreached: readonly AssumptionKey[];
  /** Keys that CMD chose itself in some of its worlds, where they weren't varied. */
  readonly kept: readonly AssumptionKey[];
  readonly counts: {
    readonly rows: number;
    /** How many rows there would be over all keys. */
    readonly planned: number;
    readonly failed: number;
    readonly runs: number;
  };
  readonly defaults: {
    readonly assumptions: Assumptions;
    readonly reproduce: string;
    readonly runs: readonly FinishedRun[];
  };
  readonly rows: readonly RowResult[];
  readonly reliances: readonly Reliance[];
  /** Whether the failing rows were searched completely. */
  readonly complete: boolean;
  /** Sets of choices under which CMD failed and passed; `row` is null if a set isn't that of a row. */
  readonly flaky: readonly {
    readonly assume: Choices;
    readonly row: number | null;
    readonly reproduce: string;
  }[];
}

export function verdictOf({ defaults, found, interruptedBy }: MatrixState): MatrixVerdict {
  const [first, second] = defaults;
  if (first === undefined || second === undefined) return "interrupted";
  if (first.passed !== second.passed) return "flaky";
  if (!first.passed) return "fails-on-defaults";
  if (!hasAsked(first) && !hasAsked(second)) return "never-calls-the-server";
  if (found.minimal.length > 0) return "relies";
  if (found.unstable.length > 0) return "flaky";
  return interruptedBy === undefined ? "green" : "interrupted";
}

function hasAsked({ requests, inProcess }: FinishedRun): boolean {
  return requests > 0 || inProcess;
}

export function resultOf(findings: MatrixState): MatrixResult {
  const { plan, flags, found, runner, rows, interruptedBy } = findings;
  const reliances = [...found.minimal].sort(compareSets);
  const rowNames = plan.rows.map(nameOf);
  return {
    format: "adsim-matrix",
    version: 1,
    verdict: verdictOf(findings),
    interrupted: interruptedBy !== undefined,
    ...(interruptedBy !== undefined && { interruptedBy }),
    strength: Number(flags.strength),
    seed: flags.seed ?? "adsim",
    command: findings.words,
    timeLimit: flags.timeLimit,
    pinned: choicesOf(plan.pins),
    varied: plan.varied,
    unreached: findings.whole.varied.filter((key) => !plan.varied.includes(key)),
    kept: allKeys.filter((key) =>
      findings.reached.some((one) => "kept" in one && one.kept === key),
    ),
    counts: {
      rows: plan.rows.length,
      planned: findings.whole.rows.length,
      failed: rows.filter((run) => run?.passed === false).length,
      runs: runner.runs,
    },
    defaults: {
      assumptions: plan.defaults,
      reproduce: reproduceLine(findings, []),
      runs: findings.defaults,
    },
    rows: plan.rows.map((overrides, index) => ({
      row: index + 1,
      assumptions: plan.assumptionsWith(overrides),
      run: rows[index] ?? null,
      reproduce: reproduceLine(findings, overrides),
      reliances: reliances.flatMap((set, place) => (isWithin(set, overrides) ? [place] : [])),
    })),
    reliances: reliances.map((overrides) => ({
      assume: choicesOf(overrides),
      cautions: Object.fromEntries(
        overrides.map((override) => {
          const [key] = keyAndChoiceOf(override);
          // Overrides have keys of the catalogue.
          return [key, catalogue[key as AssumptionKey].caution];
        }),
      ),
      reproduce: reproduceLine(findings, overrides),
      run: runner.confirmed(overrides) ?? null,
    })),
    complete: found.isComplete,
    flaky: [...found.unstable].sort(compareSets).map((overrides) => ({
      assume: choicesOf(overrides),
      row: rowNames.indexOf(nameOf(overrides)) + 1 || null,
      reproduce: reproduceLine(findings, overrides),
    })),
  };
}

function choicesOf(overrides: ChoiceOverrides): Choices {
  return Object.fromEntries(overrides.map(keyAndChoiceOf));
}

/** A command for a POSIX shell that runs CMD as the matrix did. It is one line unless an argument has line breaks. */
function reproduceLine({ words, flags, plan }: MatrixState, overrides: ChoiceOverrides): string {
  const { seed, start, clock, publishers, profile } = flags;
  return adsimLine([
    "exec",
    ...overrideWords({ seed, start, clock, publishers, profile }),
    ...(flags.explain === true ? ["--explain"] : []),
    ...[...plan.pins, ...overrides].flatMap((choice) => ["--assume", choice]),
    ...["--", ...words],
  ]);
}

/** How a run ended, in words. */
export function endingText({ ended }: Pick<FinishedRun, "ended">, timeLimit: string): string {
  switch (ended.kind) {
    case "exit":
      return `exit code ${ended.exitCode}`;
    case "signal":
      return `ended by ${ended.signal}`;
    case "timed-out":
      return `timed out after ${timeLimit}`;
  }
}

/** Each as `KEY=CHOICE`. */
export function overridesIn(assume: Choices): ChoiceOverrides {
  return Object.entries(assume).map(([key, choice]) => `${key}=${choice}`);
}
