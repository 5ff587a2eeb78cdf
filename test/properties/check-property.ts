/**
 * Runs a property with a fixed seed, or another from the environment, and ends a failure with one line to paste that
 * reproduces it. ADSIM_SEED=random explores.
 */

import fc from "fast-check";
import { runsOf } from "../budget.ts";

export interface PropertyOptions {
  /** The test's name, which reproduces it. */
  readonly test: string;
  readonly file: string;
  readonly runs: number;
  /** The least number, however small RUNS is. @default 10 */
  readonly leastRuns?: number | undefined;
}

const DEFAULT_SEED = 20_260_115;

function seed(): number {
  const asked = process.env.ADSIM_SEED;
  if (asked === "random") return Math.floor(Math.random() * 0x7fff_ffff);
  return asked === undefined ? DEFAULT_SEED : Number(asked);
}

/** What a property that replays commands passes to `fc.commands`. */
export const replayPath: string | undefined = process.env.ADSIM_REPLAY_PATH;

/** @throws Error with the shrunk counterexample, what went wrong, and how to see it again. */
export function checkProperty<Values>(
  options: PropertyOptions,
  property: fc.IProperty<Values>,
): void {
  refuse(fc.check(property, parametersOf(options)), options);
}

/** {@link checkProperty} for a property that awaits. */
export async function checkAsyncProperty<Values>(
  options: PropertyOptions,
  property: fc.IAsyncProperty<Values>,
): Promise<void> {
  refuse(await fc.check(property, parametersOf(options)), options);
}

function parametersOf({ runs, leastRuns }: PropertyOptions): {
  readonly seed: number;
  readonly numRuns: number;
  readonly path?: string;
} {
  const path = process.env.ADSIM_PATH;
  return { seed: seed(), numRuns: runsOf(runs, leastRuns), ...(path ? { path } : {}) };
}

function refuse(details: object, { test, file }: PropertyOptions): void {
  const run = details as fc.RunDetails<unknown>;
  if (run.failed) throw failure(run, test, file);
}

function failure(details: fc.RunDetails<unknown>, test: string, file: string): Error {
  const shown = fc.stringify(details.counterexample);
  const replay = /replayPath="([^"]*)"/.exec(shown)?.[1];
  const environment = [
    `ADSIM_SEED=${details.seed}`,
    `ADSIM_PATH=${details.counterexamplePath ?? ""}`,
    ...(replay === undefined ? [] : [`ADSIM_REPLAY_PATH=${replay}`]),
  ];
  const error = details.errorInstance;
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Error(
    `${test}: false after ${details.numRuns} runs, shrunk ${details.numShrinks} times.\n` +
      `Counterexample: ${shown.length > 6000 ? `${shown.slice(0, 6000)}…` : shown}\n${reason}\n` +
      `Reproduce: ${environment.join(" ")} npx vitest run ${file} -t "${inPattern(test)}"`,
  );
}

/** The name as a regular expression, which is what `-t` takes. */
function inPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
