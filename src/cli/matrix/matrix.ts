/**
 * `adsim matrix -- CMD`: finds what a client relies on that the spec doesn't promise. Runs CMD under the rows of a
 * covering array over the assumptions, then searches for the smallest sets of choices that make it fail.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { durationMs } from "../../base/duration.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { indentedJson } from "../../base/text.ts";
import { coveringArray } from "../../choices/covering-array.ts";
import { allKeys, type MatrixPlan, makePlan } from "../../choices/matrix-plan.ts";
import { keysReached } from "../../choices/reached.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { knownKey, readAssumptionFlags } from "../options/assumption-flags.ts";
import { environmentControlToken, simulatorOptions } from "../options/common-options.ts";
import { couldNotRun, exitCodes, wrongUsage } from "../output/exit.ts";
import { barOf, createProgress, type Progress } from "../output/progress.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { adviceOnSilence } from "../processes/child.ts";
import { endingSignals, onFirstSignal } from "../processes/signals.ts";
import { reportJunit } from "./report-junit.ts";
import { reportText } from "./report-text.ts";
import {
  endingText,
  fixedKey,
  type MatrixCall,
  type MatrixState,
  resultOf,
  verdictOf,
} from "./result.ts";
import { createRunner, Interrupted, type Runner } from "./runner.ts";
import { shrink } from "./shrink.ts";

/** @returns the exit code: 0 if CMD passes everywhere, 1 for any finding, 128 plus its number for a signal. */
export async function matrix(call: MatrixCall): Promise<number> {
  const { flags, words, host } = call;
  const { report = [], json, keepOutput, explain } = flags;
  const timeLimitMs = timeLimitOf(flags.timeLimit);
  const { chosen } = await readAssumptionFlags(flags);
  const options = await simulatorOptions(flags, "flowing");
  const plan = planOf(flags, chosen);
  await checkReports(report);
  const folder = folderFor(keepOutput);
  const progress = createProgress(host);
  const jobs = flags.jobs ?? availableParallelism();
  const reached: MatrixState["reached"] = [];
  const runner = createRunner({
    ...{ words, folder, timeLimitMs, jobs, host },
    assumptionsWith: plan.assumptionsWith,
    // The same options as for `exec`, because the lines to reproduce use that.
    server: { ...options, explain, controlToken: environmentControlToken(host), port: 0 },
    // After a failure, a client may do what its tests aren't about.
    onRun: (more, passed) => reached.push(...more.filter((one) => passed || "kept" in one)),
  });
  const state: MatrixState = {
    ...{ call, plan, runner, reached, whole: plan },
    defaults: [],
    rows: [],
    found: { minimal: [], unstable: [], isComplete: false },
  };
  let signal: { readonly name: NodeJS.Signals; readonly number: number } | undefined;
  const stopListening = onFirstSignal(host, endingSignals, (name, number) => {
    signal = { name, number };
    void runner.stop();
  });
  // No CMD outlives this process, however it ends.
  host.on("exit", runner.kill);
  const startedMs = Date.now();
  try {
    await investigate(state, runner, progress, jobs);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    await runner.stop();
    stopListening();
    host.off("exit", runner.kill);
    progress.erase();
  }
  if (signal !== undefined) state.interruptedBy = signal.name;
  const result = resultOf(state);
  const hasOutput = [...state.defaults, ...state.rows].some((run) => run?.output !== undefined);
  if (keepOutput === undefined && !hasOutput) rmSync(folder, { recursive: true });
  if (json === true) say(indentedJson(result), host.stdout);
  const text = reportText(result, adviceOnSilence(host.env));
  say(text, json === true ? host.stderr : host.stdout);
  const texts = {
    json: () => indentedJson(result),
    junit: () => reportJunit(result, startedMs, Date.now() - startedMs),
  };
  await writeReports(report, texts, host.stderr);
  if (signal !== undefined) return 128 + signal.number;
  return result.verdict === "green" ? exitCodes.fine : exitCodes.checkFailed;
}

async function investigate(
  state: MatrixState,
  runner: Runner,
  progress: Progress,
  jobs: number,
): Promise<void> {
  const { defaults, found, whole } = state;
  progress.note(
    `adsim: CMD runs twice with the defaults, then under at most ${plural(whole.rows.length, "combination")} of choices, ${jobs} at a time`,
  );
  // One after the other: a CMD that only fails in parallel must pass here.
  for (const number of [1, 2]) defaults.push(await runner.run([], `defaults-${number}`));
  if (!["green", "interrupted"].includes(verdictOf(state))) return;
  await runRows(state, runner, progress, jobs);
  const { plan, rows } = state;
  const rowsThat = (passed: boolean): MatrixPlan["rows"] =>
    plan.rows.filter((_, index) => rows[index]?.passed === passed);
  const failing = rowsThat(false);
  if (failing.length > 0) progress.note("looking for the smallest sets of choices that fail");
  await shrink({ failing, passing: rowsThat(true), trials: runner, width: jobs }, found);
}

/**
 * Runs the rows over the keys that shaped an answer in the runs with the defaults, and in rows before. Keys that
 * `--only` names are varied in any case.
 */
async function runRows(
  state: MatrixState,
  runner: Runner,
  progress: Progress,
  jobs: number,
): Promise<void> {
  const { whole, rows, reached, call, defaults } = state;
  const { only, timeLimit } = call.flags;
  const width = String(whole.rows.length).length;
  const tookMs = Math.max(...defaults.map((run) => run.durationMs));
  let ran: MatrixPlan["rows"] = [];
  for (;;) {
    const shaping = keysReached(reached);
    const isVaried = (key: AssumptionKey): boolean => only !== undefined || shaping.has(key);
    state.plan = whole.varying(whole.varied.filter(isVaried), ran);
    const all = state.plan.rows;
    const more = all.slice(ran.length);
    if (more.length === 0) return;
    const about = readableDuration(Math.ceil((tookMs * more.length) / jobs / 1000) * 1000);
    progress.note(`adsim: ${plural(more.length, "combination")} of choices to try, about ${about}`);
    const tryRow = async (number: number, overrides: MatrixPlan["rows"][number]) => {
      const run = await runner.run(overrides, `row-${String(number).padStart(width, "0")}`);
      rows[number - 1] = run;
      const outcome = run.passed ? "passed" : `failed, ${endingText(run, timeLimit)}`;
      const line = `row ${number} of ${all.length}: ${outcome} (${(run.durationMs / 1000).toFixed(1)} s)`;
      if (!progress.isLive) progress.note(line);
      const done = rows.filter((one) => one !== undefined).length;
      progress.draw(() => `${barOf(done, all.length)} ${line}`);
    };
    const from = ran.length + 1;
    await Promise.all(more.map((overrides, index) => tryRow(from + index, overrides)));
    ran = all;
  }
}

function planOf(flags: MatrixCall["flags"], pinned: Readonly<Record<string, string>>): MatrixPlan {
  const only = flags.only?.flatMap((keys) =>
    keys.split(",").map((key) => knownKey("--only", key.trim())),
  );
  const both = only?.find((key) => Object.hasOwn(pinned, key));
  if (both !== undefined) {
    throw wrongUsage(
      `--only: ${both} can't vary, because --assume or --assumptions pins it to ${pinned[both]}. Leave one of them out.`,
    );
  }
  const strength = strengths[flags.strength as keyof typeof strengths];
  const plan = makePlan({
    ...{ pinned, strength, array: coveringArray({ strength }) },
    only: only ?? allKeys.filter((key) => key !== fixedKey),
  });
  if (plan.rows.length > 0) return plan;
  throw wrongUsage(
    "There is nothing to vary: with these choices held, no other key has a second choice. Hold fewer keys, or name others in --only.",
  );
}

const strengths = { "1": 1, "2": 2, "3": 3 } as const;

/** The longest timer in Node. */
const LONGEST_MS = 0x7fff_ffff;

function timeLimitOf(text: string): number {
  let ms: number;
  try {
    ms = durationMs(/^\d+$/.test(text) ? Number(text) : text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError("timeLimit", error.message.replace(/^duration /, ""));
  }
  if (ms > 0) return Math.min(ms, LONGEST_MS);
  throw new InputError("timeLimit", "must be longer than 0, such as 90s");
}

/** The given folder, which is made if needed, or a temporary one. */
function folderFor(given: string | undefined): string {
  try {
    if (given === undefined) return mkdtempSync(join(tmpdir(), "adsim-matrix-"));
    mkdirSync(given, { recursive: true });
    return given;
  } catch (error) {
    throw couldNotRun(
      `CMD's output can't be kept in ${given ?? tmpdir()}: ${describeError(error)}. Name a folder that you may write to: --keep-output FOLDER.`,
    );
  }
}
