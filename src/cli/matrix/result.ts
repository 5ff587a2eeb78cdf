/** The result of a matrix. The JSON report is this object; the other reports are made from it. */

import { adsimLine } from "../../base/shell.ts";
import {
  type ChoiceOverrides,
  compareSets,
  isWithin,
  keyAndChoiceOf,
} from "../../choices/choice-overrides.ts";
import { allKeys, type MatrixPlan } from "../../choices/matrix-plan.ts";
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

/**
 * - `green`: CMD passes everywhere.
 * - `relies`: some sets of choices make it fail.
 * - `fails-on-defaults`: it failed twice with the defaults.
 * - `never-calls-the-server`: it passed twice with the defaults, without a request.
 * - `flaky`: it failed and passed under the same choices.
 */
export type MatrixVerdict =
  | "green"
  | "relies"
  | "fails-on-defaults"
  | "never-calls-the-server"
  | "flaky";

/** Choices other than the defaults, as `KEY=CHOICE`, and the line that runs CMD under them. */
interface Tried {
  readonly assume: ChoiceOverrides;
  readonly reproduce: string;
}

export interface MatrixResult {
  readonly format: "adsim-matrix";
  readonly version: 1;
  readonly verdict: MatrixVerdict;
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
  readonly counts: Readonly<Record<"rows" | "failed" | "runs", number>>;
  readonly defaults: { readonly reproduce: string; readonly runs: readonly [Run, Run] };
  /** None after defaults that didn't pass. `reliances`: indexes into the list of them. */
  readonly rows: readonly (Tried & { readonly run: Run; readonly reliances: readonly number[] })[];
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

interface Findings {
  /** The plan over all keys that could be varied. */
  readonly whole: MatrixPlan;
  /** The plan over the keys that were varied. */
  readonly plan: MatrixPlan;
  readonly runner: Runner;
  /** The two runs with the defaults. */
  readonly defaults: readonly [Run, Run];
  /** In the order of the plan's rows. */
  readonly rows: readonly Run[];
  readonly found: Shrunk;
}

export function resultOf(
  { flags, words, given }: MatrixCall,
  { whole, plan, runner, defaults, rows, found }: Findings,
): MatrixResult {
  const reliances = [...found.minimal].sort(compareSets);
  const options = given(Object.keys(execOptions).filter((name) => name !== "json"));
  const tried = (assume: ChoiceOverrides): Tried => {
    const choices = assume.flatMap((choice) => ["--assume", choice]);
    return { assume, reproduce: adsimLine(["exec", ...options, ...choices, "--", ...words]) };
  };
  const isPinned = plan.pins.some((pin) => keyAndChoiceOf(pin)[0] === fixedKey);
  return {
    format: "adsim-matrix",
    version: 1,
    verdict: verdictOf(defaults, found),
    strength: Number(flags.strength),
    seed: flags.seed ?? "adsim",
    pinned: plan.pins,
    varied: plan.varied,
    unreached: whole.varied.filter((key) => !plan.varied.includes(key)),
    fixed: flags.only === undefined && !isPinned ? [fixedKey] : [],
    kept: allKeys.filter((key) => runner.reached.some((one) => "kept" in one && one.kept === key)),
    counts: {
      rows: rows.length,
      failed: rows.filter((run) => !run.passed).length,
      runs: runner.runs,
    },
    defaults: { reproduce: tried([]).reproduce, runs: defaults },
    rows: rows.map((run, index) => {
      const row = plan.rows[index] ?? [];
      const relied = reliances.flatMap((set, place) => (isWithin(set, row) ? [place] : []));
      return { ...tried(row), run, reliances: relied };
    }),
    reliances: reliances.map((set) => ({ ...tried(set), run: runner.last(set) })),
    complete: found.isComplete,
    flaky: [...found.unstable].sort(compareSets).map(tried),
  };
}
