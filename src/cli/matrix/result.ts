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
import {
  type AssumptionKey,
  type Assumptions,
  catalogue,
} from "../../spec/assumptions/catalogue.ts";
import type { Call } from "../options/command.ts";
import { execOptions, type matrixOptions } from "../options/command-options.ts";
import type { CommonFlags } from "../options/common-options.ts";
import type { FlagsOf } from "../options/option.ts";
import type { FinishedRun, Runner } from "./runner.ts";
import type { ShrinkState } from "./shrink.ts";

/** A client must send one encoding, and isn't to blame for it. */
export const fixedKey = "request.encoding";

type Choices = Readonly<Record<string, string>>;

export type MatrixCall = Call<
  CommonFlags & FlagsOf<typeof matrixOptions> & { readonly explain?: boolean }
>;

/** The state of a running matrix. It can be turned into a result at any moment. */
export interface MatrixState {
  readonly call: MatrixCall;
  /** The plan over all keys that could be varied. */
  readonly whole: MatrixPlan;
  /** The plan over the keys that are varied. */
  plan: MatrixPlan;
  /** What all passed runs together reached, and what failed ones kept. */
  readonly reached: Reached[];
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
  /** Keys that weren't varied because a client has to decide for one choice. */
  readonly fixed: readonly AssumptionKey[];
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
  const { plan, call, found, runner, rows, interruptedBy } = findings;
  const { flags, words } = call;
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
    command: words,
    timeLimit: flags.timeLimit,
    pinned: choicesOf(plan.pins),
    varied: plan.varied,
    unreached: findings.whole.varied.filter((key) => !plan.varied.includes(key)),
    fixed: flags.only === undefined && !(fixedKey in choicesOf(plan.pins)) ? [fixedKey] : [],
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

/** The arguments as given, for a run of CMD under these overrides. */
function reproduceLine({ call }: MatrixState, overrides: ChoiceOverrides): string {
  const given = call.given(Object.keys(execOptions).filter((name) => name !== "json"));
  const choices = overrides.flatMap((choice) => ["--assume", choice]);
  return adsimLine(["exec", ...given, ...choices, "--", ...call.words]);
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
