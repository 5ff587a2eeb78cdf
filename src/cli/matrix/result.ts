/** The result of a matrix. The JSON report is this object; the other reports are made from it. */

import { adsimLine } from "../../base/shell.ts";
import {
  allKeys,
  type ChoiceOverrides,
  compareSets,
  keyAndChoiceOf,
  type MatrixPlan,
} from "../../choices/matrix-plan.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { execOptions, type matrixOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import type { Run, Runner } from "./runner.ts";
import type { Shrunk } from "./shrink.ts";

/** A client must send one encoding, and isn't to blame for it. */
export const fixedKey = "request.encoding";

export type MatrixCall = Call<FlagsOf<typeof matrixOptions>>;

/** What each verdict means. */
export const headlines = {
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
