/**
 * `adsim matrix -- CMD`: finds what a client relies on that the spec doesn't promise. Runs CMD under the rows of a
 * covering array over the assumptions, then searches for the smallest sets of choices that make it fail.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS } from "../../base/duration.ts";
import { describeError } from "../../base/file-error.ts";
import { indentedJson } from "../../base/text.ts";
import { coveringArray } from "../../choices/covering-array.ts";
import { allKeys, type MatrixPlan, makePlan } from "../../choices/matrix-plan.ts";
import { keysReached } from "../../choices/reached.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { knownKey, readAssumptionFlags } from "../options/assumption-flags.ts";
import { environmentControlToken, simulatorOptions } from "../options/common-options.ts";
import { couldNotRun, exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { adviceOnSilence } from "../processes/child.ts";
import { endingSignals, onFirstSignal } from "../processes/signals.ts";
import { reportJunit, reportText } from "./reports.ts";
import { fixedKey, type MatrixCall, type MatrixState, resultOf, verdictOf } from "./result.ts";
import { createRunner } from "./runner.ts";
import { shrink } from "./shrink.ts";

/** @returns the exit code: 0 if CMD passes everywhere, 1 for any finding, 128 plus its number for a signal. */
export async function matrix(call: MatrixCall): Promise<number> {
  const { flags, words, host } = call;
  const { report = [], json, keepOutput, explain, timeLimit = 5 * MINUTE_MS } = flags;
  const { chosen } = await readAssumptionFlags(flags);
  const options = await simulatorOptions(flags, "flowing");
  const plan = planOf(flags, chosen);
  await checkReports(report);
  const folder = folderFor(keepOutput);
  const jobs = flags.jobs ?? availableParallelism();
  const reached: MatrixState["reached"] = [];
  const stopping = new AbortController();
  const runner = createRunner({
    ...{ words, folder, jobs, host, timeLimitMs: timeLimit, stop: stopping.signal },
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
  let signalNumber = 0;
  const stopListening = onFirstSignal(host, endingSignals, (name, number) => {
    state.interruptedBy = name;
    signalNumber = number;
    stopping.abort();
  });
  // No CMD outlives this process, however it ends.
  host.on("exit", runner.kill);
  const startedMs = Date.now();
  try {
    await investigate(state, jobs);
  } catch (error) {
    if (state.interruptedBy === undefined) {
      if (keepOutput === undefined) rmSync(folder, { recursive: true });
      throw error;
    }
  } finally {
    stopping.abort();
    await runner.idle();
    stopListening();
    host.off("exit", runner.kill);
  }
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
  if (signalNumber > 0) return 128 + signalNumber;
  return result.verdict === "green" ? exitCodes.fine : exitCodes.checkFailed;
}

async function investigate(state: MatrixState, jobs: number): Promise<void> {
  const { defaults, found, whole, runner, call } = state;
  const { stderr } = call.host;
  stderr.write(
    `adsim: CMD runs twice with the defaults, then under at most ${plural(whole.rows.length, "combination")} of choices, ${jobs} at a time\n`,
  );
  // One after the other: a CMD that only fails in parallel must pass here.
  for (const _ of [1, 2]) defaults.push(await runner.run([]));
  if (verdictOf(state) !== "green") return;
  await runRows(state, jobs);
  const failing = state.plan.rows.filter((_, index) => state.rows[index]?.passed === false);
  if (failing.length > 0) stderr.write("looking for the smallest sets of choices that fail\n");
  await shrink(failing, runner, found);
}

/**
 * Runs the rows over the keys that shaped an answer in the runs with the defaults, and in rows before. Keys that
 * `--only` names are varied in any case.
 */
async function runRows(state: MatrixState, jobs: number): Promise<void> {
  const { whole, rows, reached, call, defaults, runner } = state;
  const { only } = call.flags;
  const { stderr } = call.host;
  const tookMs = Math.max(...defaults.map((run) => run.durationMs));
  for (let ran: MatrixPlan["rows"] = []; ; ran = state.plan.rows) {
    const shaping = keysReached(reached);
    const isVaried = (key: AssumptionKey): boolean => only !== undefined || shaping.has(key);
    state.plan = whole.varying(whole.varied.filter(isVaried), ran);
    const all = state.plan.rows;
    const more = all.slice(ran.length);
    if (more.length === 0) return;
    const about = readableDuration(Math.ceil((tookMs * more.length) / jobs / 1000) * 1000);
    stderr.write(
      `adsim: ${plural(more.length, "combination")} of choices to try, about ${about}\n`,
    );
    const from = ran.length;
    await Promise.all(
      more.map(async (overrides, index) => {
        const run = await runner.run(overrides);
        rows[from + index] = run;
        const outcome = run.passed ? "passed" : `failed, ${run.ended}`;
        const seconds = (run.durationMs / 1000).toFixed(1);
        stderr.write(`row ${from + index + 1} of ${all.length}: ${outcome} (${seconds} s)\n`);
      }),
    );
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
  const { strength } = flags;
  const plan = makePlan({
    ...{ pinned, strength, array: coveringArray({ strength }) },
    only: only ?? allKeys.filter((key) => key !== fixedKey),
  });
  if (plan.rows.length > 0) return plan;
  throw wrongUsage(
    "There is nothing to vary: with these choices held, no other key has a second choice. Hold fewer keys, or name others in --only.",
  );
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
