/**
 * `adsim matrix -- CMD`: finds what a client relies on that the spec doesn't promise. Runs CMD under the rows of a
 * covering array over the assumptions, then searches for the smallest sets of choices that make it fail.
 */

import { availableParallelism } from "node:os";
import { durationMs } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { indentedJson } from "../../base/text.ts";
import { coveringArray } from "../../choices/covering-array.ts";
import { type MatrixPlan, makePlan } from "../../choices/matrix-plan.ts";
import { keysReached, type Reached } from "../../choices/reached.ts";
import type { AssumptionKey } from "../../spec/assumptions/catalogue.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { knownKey } from "../options/assumption-key.ts";
import { environmentControlToken, simulatorOptions } from "../options/common-options.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { childCommand } from "../processes/child.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { endingSignals, onFirstSignal } from "../processes/signals.ts";
import type { MatrixFlags } from "./matrix-options.ts";
import { reportJunit } from "./matrix-report-junit.ts";
import { reportText } from "./matrix-report-text.ts";
import {
  endingText,
  type MatrixResult,
  type MatrixState,
  resultOf,
  verdictOf,
} from "./matrix-result.ts";
import { createOutputFolder } from "./output-folder.ts";
import { createProgress, type Progress } from "./progress.ts";
import { createRunner, Interrupted, type Runner } from "./runner.ts";
import { shrink } from "./shrink.ts";

/** @returns the exit code: 0 if CMD passes everywhere, 1 for any finding, 128 plus its number for a signal. */
export async function matrix(
  words: readonly string[],
  flags: MatrixFlags,
  host: HostProcess,
): Promise<number> {
  const command = childCommand(words, "matrix");
  const timeLimitMs = timeLimitOf(flags.timeLimit);
  const { assumptions: _read, ...otherFlags } = flags;
  const { chosen } = await readAssumptionFlags(flags);
  const options = await simulatorOptions({ ...otherFlags, assume: chosen }, "flowing");
  const plan = planOf(flags, chosen);
  await checkReports(flags.report ?? []);
  const output = await createOutputFolder(flags.keepOutput);
  const progress = createProgress(host);
  const reached: Reached[] = [];
  const jobs = flags.jobs ?? availableParallelism();
  const runner = createRunner({
    ...{ command, plan, output, timeLimitMs, jobs, host },
    // The same options as for `exec`, because the lines to reproduce use that.
    server: {
      ...options,
      explain: flags.explain,
      controlToken: environmentControlToken(host),
      port: 0,
    },
    onRun(more, passed) {
      // After a failure, a client may do what its tests aren't about.
      reached.push(...more.filter((one) => passed || "kept" in one));
      progress.step();
    },
  });
  const findings: MatrixState = {
    ...{ words, flags, plan, runner, reached, whole: plan },
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
    await investigate(findings, runner, progress, jobs);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    await runner.stop();
    stopListening();
    host.off("exit", runner.kill);
    progress.end();
    await output.close();
  }
  if (signal !== undefined) findings.interruptedBy = signal.name;
  const result = resultOf(findings);
  tell(result, flags.json === true, host);
  const texts = {
    json: () => indentedJson(result),
    junit: () => reportJunit(result, startedMs, Date.now() - startedMs),
  };
  await writeReports(flags.report ?? [], texts, host.stderr);
  if (signal !== undefined) return 128 + signal.number;
  return result.verdict === "green" ? exitCodes.fine : exitCodes.checkFailed;
}

function tell(result: MatrixResult, isJson: boolean, { stdout, stderr }: HostProcess): void {
  if (isJson) say(indentedJson(result), stdout);
  say(reportText(result), isJson ? stderr : stdout);
}

async function investigate(
  findings: MatrixState,
  runner: Runner,
  progress: Progress,
  jobs: number,
): Promise<void> {
  const { defaults, found } = findings;
  // One after the other: a CMD that only fails in parallel must pass here.
  for (const number of [1, 2]) defaults.push(await runner.run([], `defaults-${number}`));
  if (!["green", "interrupted"].includes(verdictOf(findings))) return;
  await runRows(findings, runner, progress);
  const { plan, rows } = findings;
  const withVerdict = (passed: boolean): MatrixPlan["rows"] =>
    plan.rows.filter((_, index) => rows[index]?.passed === passed);
  const failing = withVerdict(false);
  if (failing.length > 0) progress.phase("looking for the smallest sets of choices that fail");
  const { fails, failsAgain, confirm } = runner;
  await shrink(
    {
      ...{ failing, width: jobs },
      passing: withVerdict(true),
      trials: { fails, failsAgain, confirm },
    },
    found,
  );
}

/**
 * Runs the rows over the keys that shaped an answer in the runs with the defaults, and in rows before. Keys that
 * `--only` names are varied in any case.
 */
async function runRows(findings: MatrixState, runner: Runner, progress: Progress): Promise<void> {
  const { whole, rows, reached, flags } = findings;
  const width = String(whole.rows.length).length;
  let ran: MatrixPlan["rows"] = [];
  for (;;) {
    const shaping = keysReached(reached);
    const isVaried = (key: AssumptionKey): boolean => flags.only !== undefined || shaping.has(key);
    findings.plan = whole.varying(whole.varied.filter(isVaried), ran);
    const all = findings.plan.rows;
    const more = all.slice(ran.length);
    if (more.length === 0) return;
    progress.begin(all.length);
    await Promise.all(
      more.map(async (overrides, index) => {
        const number = all.length - more.length + index + 1;
        const run = await runner.run(overrides, `row-${String(number).padStart(width, "0")}`);
        rows[number - 1] = run;
        const outcome = run.passed ? "passed" : `failed, ${endingText(run, flags.timeLimit)}`;
        progress.row(number, `${outcome} (${(run.durationMs / 1000).toFixed(1)} s)`, run.passed);
      }),
    );
    ran = all;
  }
}

function planOf(flags: MatrixFlags, pinned: Readonly<Record<string, string>>): MatrixPlan {
  const only = flags.only?.map((key) => knownKey("--only", key));
  const both = only?.find((key) => Object.hasOwn(pinned, key));
  if (both !== undefined) {
    throw wrongUsage(
      `--only: ${both} can't vary, because --assume or --assumptions pins it to ${pinned[both]}. Leave one of them out.`,
    );
  }
  const strength = strengths[flags.strength];
  const plan = makePlan({
    ...{ pinned, only, strength },
    array: coveringArray({ strength }),
  });
  if (plan.rows.length > 0) return plan;
  throw wrongUsage(
    "There is nothing to vary: with these choices held, no other key has a second choice. Hold fewer keys, or name " +
      "others in --only.",
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
    throw new InputError("time-limit", error.message.replace(/^duration /, ""));
  }
  if (ms > 0) return Math.min(ms, LONGEST_MS);
  throw new InputError("time-limit", "must be longer than 0, such as 90s");
}
