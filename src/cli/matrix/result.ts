/** The result of a matrix. The JSON report is this object; the other reports are made from it. */

import { adsimLine } from "../../base/shell.ts";
import {
  type ChoiceOverrides,
  compareSets,
  isWithin,
  keyAndChoiceOf,
} from "../../choices/choice-overrides.ts";
import { allKeys, type MatrixPlan } from "../../choices/matrix-plan.ts";
import type { Reached } from "../../choices/reached.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { execOptions, type matrixOptions } from "../options/command-options.ts";
import type { CommonFlags } from "../options/common-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import type { Run, Runner } from "./runner.ts";
import type { Shrunk } from "./shrink.ts";

/** A client must send one encoding, and isn't to blame for it. */
export const fixedKey = "request.encoding";

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
  readonly runner: Runner;
  /** The two runs with the defaults. */
  readonly defaults: Run[];
  /** In the order of the plan's rows; undefined for a row that hasn't run. */
  readonly rows: (Run | undefined)[];
  readonly found: Shrunk;
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

/** Choices other than the defaults, as `KEY=CHOICE`, and the line that runs CMD under them. */
export interface Tried {
  readonly assume: ChoiceOverrides;
  readonly reproduce: string;
}

export interface MatrixResult {
  readonly format: "adsim-matrix";
  readonly version: 1;
  readonly verdict: MatrixVerdict;
  readonly interruptedBy?: NodeJS.Signals | undefined;
  readonly strength: number;
  readonly seed: string;
  readonly pinned: ChoiceOverrides;
  readonly varied: readonly AssumptionKey[];
  /** Keys that were left out because they shaped no answer to CMD. */
  readonly unreached: readonly AssumptionKey[];
  /** Keys that weren't varied because a client has to decide for one choice. */
  readonly fixed: readonly AssumptionKey[];
  /** Keys that CMD chose itself in some of its worlds, where they weren't varied. */
  readonly kept: readonly AssumptionKey[];
  /** `planned`: how many rows there would be over all keys. */
  readonly counts: Readonly<Record<"rows" | "planned" | "failed" | "runs", number>>;
  readonly defaults: { readonly reproduce: string; readonly runs: readonly Run[] };
  /** `run` is null if the row wasn't run. `reliances`: indexes into the list of them. */
  readonly rows: readonly (Tried & {
    readonly run: Run | null;
    readonly reliances: readonly number[];
  })[];
  /** The smallest sets of choices that make CMD fail. */
  readonly reliances: readonly (Tried & { readonly run: Run | null })[];
  /** Whether the failing rows were searched completely. */
  readonly complete: boolean;
  /** Sets of choices under which CMD failed and passed. */
  readonly flaky: readonly Tried[];
}

export function verdictOf({ defaults, found, interruptedBy }: MatrixState): MatrixVerdict {
  const [first, second] = defaults;
  if (first === undefined || second === undefined) return "interrupted";
  if (first.passed !== second.passed) return "flaky";
  if (!first.passed) return "fails-on-defaults";
  if (!defaults.some((run) => run.requests > 0 || run.inProcess)) return "never-calls-the-server";
  if (found.minimal.length > 0) return "relies";
  if (found.unstable.length > 0) return "flaky";
  return interruptedBy === undefined ? "green" : "interrupted";
}

export function resultOf(state: MatrixState): MatrixResult {
  const { plan, whole, call, found, runner, rows, reached } = state;
  const { flags, words } = call;
  const reliances = [...found.minimal].sort(compareSets);
  const given = call.given(Object.keys(execOptions).filter((name) => name !== "json"));
  const tried = (assume: ChoiceOverrides): Tried => {
    const choices = assume.flatMap((choice) => ["--assume", choice]);
    return { assume, reproduce: adsimLine(["exec", ...given, ...choices, "--", ...words]) };
  };
  const isPinned = plan.pins.some((pin) => keyAndChoiceOf(pin)[0] === fixedKey);
  return {
    format: "adsim-matrix",
    version: 1,
    verdict: verdictOf(state),
    interruptedBy: state.interruptedBy,
    strength: Number(flags.strength),
    seed: flags.seed ?? "adsim",
    pinned: plan.pins,
    varied: plan.varied,
    unreached: whole.varied.filter((key) => !plan.varied.includes(key)),
    fixed: flags.only === undefined && !isPinned ? [fixedKey] : [],
    kept: allKeys.filter((key) => reached.some((one) => "kept" in one && one.kept === key)),
    counts: {
      rows: plan.rows.length,
      planned: whole.rows.length,
      failed: rows.filter((run) => run?.passed === false).length,
      runs: runner.runs,
    },
    defaults: { reproduce: tried([]).reproduce, runs: state.defaults },
    rows: plan.rows.map((row, index) => ({
      ...tried(row),
      run: rows[index] ?? null,
      reliances: reliances.flatMap((set, place) => (isWithin(set, row) ? [place] : [])),
    })),
    reliances: reliances.map((set) => ({ ...tried(set), run: runner.last(set) ?? null })),
    complete: found.isComplete,
    flaky: [...found.unstable].sort(compareSets).map(tried),
  };
}
