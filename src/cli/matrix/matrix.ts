/**
 * `adsim matrix -- CMD`: finds what a client relies on that the spec doesn't promise. Runs CMD under the rows of a
 * covering array over the assumptions, then searches for the smallest sets of choices that make it fail.
 */

import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS } from "../../base/duration.ts";
import { describeError } from "../../base/file-error.ts";
import { indentedJson } from "../../base/text.ts";
import { allKeys, type MatrixPlan, makePlan } from "../../choices/matrix-plan.ts";
import { keysReached } from "../../choices/reached.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import { knownKey, readAssumptionFlags } from "../options/assumption-flags.ts";
import { simulatorOptions } from "../options/common-options.ts";
import { couldNotRun, exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { adviceOnSilence } from "../processes/child.ts";
import { onEndingSignals } from "../processes/host-process.ts";
import {
  type Findings,
  fixedKey,
  type MatrixCall,
  reportJunit,
  reportText,
  resultOf,
  verdictOf,
} from "./result.ts";
import { createRunner, type Runner } from "./runner.ts";
import { type Shrunk, shrink } from "./shrink.ts";

/** @returns the exit code: 0 if CMD passes everywhere, 1 for any finding, 128 plus its number for a signal. */
export async function matrix(call: MatrixCall): Promise<number> {
  const { flags, words, host } = call;
  const { report = [], keepOutput, explain, timeLimit = 5 * MINUTE_MS } = flags;
  const { jobs = availableParallelism() } = flags;
  const { chosen } = await readAssumptionFlags(flags);
  const options = await simulatorOptions(flags, "flowing");
  const plan = planOf(flags, chosen);
  await checkReports(report);
  const folder = folderFor(keepOutput);
  const stopping = new AbortController();
  const runner = createRunner({
    ...{ words, folder, jobs, host, timeLimitMs: timeLimit, stop: stopping.signal },
    assumptionsWith: plan.assumptionsWith,
    // The same options as for `exec`, because the lines to reproduce use that.
    server: { ...options, explain, controlToken: flags.controlToken, port: 0 },
  });
  let interruption: number | undefined;
  const stopListening = onEndingSignals(host, (name, number) => {
    // Under npm, Ctrl-C comes twice.
    if (interruption === undefined) host.stderr.write(`adsim: ${name} ends the matrix\n`);
    interruption = 128 + number;
    stopping.abort();
  });
  const startedMs = Date.now();
  try {
    const findings = await investigate(call, plan, runner, jobs);
    const result = resultOf(call, plan, runner, findings);
    const json = indentedJson(result);
    if (flags.json === true) say(json, host.stdout);
    const text = reportText(result, adviceOnSilence(host.env));
    say(text, flags.json === true ? host.stderr : host.stdout);
    const junit = (): string => reportJunit(result, startedMs, Date.now() - startedMs);
    await writeReports(report, { json: () => json, junit }, host.stderr);
    return result.verdict === "green" ? exitCodes.fine : exitCodes.checkFailed;
  } catch (error) {
    stopping.abort();
    await Promise.allSettled(runner.started);
    if (interruption === undefined) throw error;
    return interruption;
  } finally {
    stopListening();
    const isEmpty = readdirSync(folder).length === 0;
    if (isEmpty && keepOutput === undefined) rmdirSync(folder);
    if (!isEmpty && interruption !== undefined) {
      host.stderr.write(`adsim: the output of runs that failed is in ${folder}\n`);
    }
  }
}

async function investigate(
  { flags, host }: MatrixCall,
  whole: MatrixPlan,
  runner: Runner,
  jobs: number,
): Promise<Findings> {
  const tell = (text: string): boolean => host.stderr.write(`${text}\n`);
  const combinations = plural(whole.rows.length, "combination");
  tell(
    `adsim: CMD runs twice with the defaults, then under up to about ${combinations} of choices, ${jobs} at a time`,
  );
  // One after the other: a CMD that only fails in parallel must pass here.
  const defaults = [await runner.run([]), await runner.run([])] as const;
  const found: Shrunk = { minimal: [], unstable: [], isComplete: false };
  if (verdictOf(defaults, found) !== "green") {
    return { defaults, varied: whole.varied, rows: [], found };
  }

  const eachMs = Math.max(...defaults.map(({ durationMs }) => durationMs)) / jobs;
  const rows: Findings["rows"][number][] = [];
  let plan = whole.varying([], []);
  // Each row may reach more keys, which take more rows.
  for (;;) {
    const reached = keysReached(runner.reached);
    const keys = whole.varied.filter((key) => flags.only !== undefined || reached.has(key));
    plan = whole.varying(keys, plan.rows);
    const more = plan.rows.slice(rows.length);
    if (more.length === 0) break;
    const about = readableDuration(Math.ceil((eachMs * more.length) / 1000) * 1000);
    tell(`adsim: ${plural(more.length, "combination")} of choices to try, about ${about}`);
    const ran = more.map(async (assume, index) => {
      const run = await runner.run(assume);
      const outcome = run.passed ? "passed" : `failed, ${run.ended}`;
      const row = `row ${rows.length + index + 1} of ${plan.rows.length}`;
      tell(`${row}: ${outcome} (${(run.durationMs / 1000).toFixed(1)} s)`);
      return { assume, run };
    });
    rows.push(...(await Promise.all(ran)));
  }

  const failing = rows.filter(({ run }) => !run.passed).map(({ assume }) => assume);
  if (failing.length > 0) tell("looking for the smallest sets of choices that fail");
  await shrink(failing, runner, found);
  return { defaults, varied: plan.varied, rows, found };
}

function planOf(flags: MatrixCall["flags"], pinned: Readonly<Record<string, string>>): MatrixPlan {
  const only = flags.only?.flatMap((keys) =>
    keys.split(",").map((key) => knownKey("--only", key.trim())),
  );
  const both = only?.find((key) => pinned[key] !== undefined);
  if (both !== undefined) {
    throw wrongUsage(
      `--only ${both} can't vary: you chose ${pinned[both]}. Leave one of them out.`,
    );
  }
  const plan = makePlan({
    ...{ pinned, strength: flags.strength },
    only: only ?? allKeys.filter((key) => key !== fixedKey),
  });
  if (plan.rows.length > 0) return plan;
  throw wrongUsage(
    "There is nothing to vary: you chose for every key. Choose for fewer keys, or name others in --only.",
  );
}

/** The given folder, or a temporary one. It is made if needed. */
function folderFor(given: string | undefined): string {
  const folder = given ?? join(tmpdir(), `adsim-matrix-${crypto.randomUUID()}`);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw couldNotRun(
      `CMD's output can't be kept in ${folder}: ${describeError(error)}. Name a folder that you may write to: --keep-output FOLDER.`,
    );
  }
  return folder;
}
