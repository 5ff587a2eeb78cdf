/** What a matrix found out. Filled as the work goes on, so that it can be told at any moment. */

import type { MatrixFlags } from "./options.ts";
import type { Plan } from "./plan.ts";
import type { FinishedRun, Runner } from "./runner.ts";
import type { Found } from "./shrink.ts";

export interface Findings {
  readonly words: readonly string[];
  readonly flags: MatrixFlags;
  readonly plan: Plan;
  readonly runner: Pick<Runner, "runs" | "confirmed">;
  /** The two runs on the defaults. */
  readonly defaults: FinishedRun[];
  /** By the plan's rows; those that were not run are undefined. */
  readonly rows: (FinishedRun | undefined)[];
  readonly found: Found;
  /** What ended the work early. */
  interruptedBy?: NodeJS.Signals;
}

/**
 * - `green`: CMD passes everywhere.
 * - `relies`: there are sets of choices that make it fail.
 * - `fails-on-defaults`: it fails with the defaults, twice.
 * - `never-calls-the-server`: it passes with the defaults, twice, without a request.
 * - `flaky`: it fails and passes under the same choices.
 * - `interrupted`: before any of the others could be said.
 */
export type Verdict =
  | "green"
  | "relies"
  | "fails-on-defaults"
  | "never-calls-the-server"
  | "flaky"
  | "interrupted";

export function verdictOf({ defaults, found, interruptedBy }: Findings): Verdict {
  const [first, second] = defaults;
  if (first === undefined || second === undefined) return "interrupted";
  if (first.passed !== second.passed) return "flaky";
  if (!first.passed) return "fails-on-defaults";
  if (first.requests === 0 && second.requests === 0) return "never-calls-the-server";
  if (found.minimal.length > 0) return "relies";
  if (found.unstable.length > 0) return "flaky";
  return interruptedBy === undefined ? "green" : "interrupted";
}
