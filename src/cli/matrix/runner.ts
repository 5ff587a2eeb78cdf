/** Runs CMD under sets of overrides, several at a time, each with its own server, and remembers the results. */

import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import pLimit from "p-limit";
import { shortened } from "../../base/text.ts";
import { type ChoiceOverrides, nameOf } from "../../choices/matrix-plan.ts";
import { REACHED, type Reached } from "../../choices/reached.ts";
import { readableDuration } from "../../play/measure/quantities.ts";
import { type ServerOptions, startServer } from "../../server.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import {
  clientEnvironment,
  collectReach,
  type StartedChild,
  startChild,
} from "../processes/child.ts";
import type { HostProcess } from "../processes/host-process.ts";
import type { Trials } from "./shrink.ts";

/** The result of one run. */
export interface Run {
  readonly passed: boolean;
  /** How CMD ended, in words. */
  readonly ended: string;
  /** Requests to the server. */
  readonly requests: number;
  /** Whether simulators in CMD's own processes answered requests. */
  readonly inProcess: boolean;
  readonly durationMs: number;
  /** Of a run that failed: the file with its output, and the last lines, without control characters. */
  readonly output?: { readonly file: string; readonly tail: readonly string[] };
}

export interface Runner extends Trials {
  run(overrides: ChoiceOverrides): Promise<Run>;
  /** The last run with these overrides. */
  last(overrides: ChoiceOverrides): Run | undefined;
  readonly started: readonly Promise<Run>[];
  /** What all runs that passed reached. After a failure, a client may do what its tests aren't about: only what it kept counts. */
  readonly reached: readonly Reached[];
}

interface RunnerOptions {
  readonly words: readonly string[];
  readonly host: HostProcess;
  readonly server: ServerOptions;
  readonly assumptionsWith: (overrides: ChoiceOverrides) => Assumptions;
  /** Where CMD's output goes. */
  readonly folder: string;
  readonly timeLimitMs: number;
  readonly jobs: number;
  /** Ends the current runs, and rejects those that wait. */
  readonly stop: AbortSignal;
}

export function createRunner(options: RunnerOptions): Runner {
  const limit = pLimit(options.jobs);
  const started: Promise<Run>[] = [];
  const latest = new Map<string, Run>();
  const reached: Reached[] = [];

  async function runNow(overrides: ChoiceOverrides, number: number): Promise<Run> {
    const file = join(options.folder, `${String(number).padStart(3, "0")}.log`);
    const { run, reach } = await runOnce(options.assumptionsWith(overrides), file, options);
    reached.push(...reach.filter((one) => run.passed || "kept" in one));
    latest.set(nameOf(overrides), run);
    return run;
  }
  function run(overrides: ChoiceOverrides): Promise<Run> {
    const running = limit(runNow, overrides, started.length + 1);
    started.push(running);
    return running;
  }

  return {
    ...{ started, reached, run },
    fails: async (overrides) => !(latest.get(nameOf(overrides)) ?? (await run(overrides))).passed,
    failsAgain: async (overrides) => !(await run(overrides)).passed,
    last: (overrides) => latest.get(nameOf(overrides)),
  };
}

async function runOnce(
  assumptions: Assumptions,
  file: string,
  options: RunnerOptions,
): Promise<{ readonly run: Run; readonly reach: readonly Reached[] }> {
  const { words, host, stop } = options;
  stop.throwIfAborted();
  const reachedFile = `${file}.reached`;
  const server = await startServer({ ...options.server, assumptions });
  const output = openSync(file, "w");
  let hasFailed = false;
  try {
    const startedMs = performance.now();
    const reachedBy = collectReach(server, reachedFile);
    const env = { ...host.env, ...clientEnvironment(server, host), [REACHED]: reachedFile };
    // Its own process group, so that its children can be ended with it.
    const detached = host.platform !== "win32";
    const started = startChild(words, { env, stdio: ["ignore", output, output], detached }, host);
    const ended = await endOf(started, options);
    const { requests, atServer, inProcess } = await reachedBy();
    stop.throwIfAborted();
    const passed = ended === "exit code 0";
    hasFailed = !passed;
    const run = {
      ...{ passed, ended, requests, inProcess: inProcess.length > 0 },
      durationMs: Math.round(performance.now() - startedMs),
      ...(hasFailed && { output: { file, tail: lastLines(file) } }),
    };
    return { run, reach: [...atServer, ...inProcess] };
  } finally {
    await server.close();
    closeSync(output);
    rmSync(reachedFile, { force: true });
    if (!hasFailed) rmSync(file, { force: true });
  }
}

/** The time for CMD to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 2000;

/** Waits for CMD, up to the time limit or until it must stop. Ends the processes that it leaves behind. */
async function endOf(
  { child, ended }: StartedChild,
  { timeLimitMs, stop, host }: RunnerOptions,
): Promise<string> {
  const stopped = AbortSignal.any([stop, AbortSignal.timeout(timeLimitMs)]);
  let killer: NodeJS.Timeout | undefined;
  const end = (): void => {
    endGroup(host, child, "SIGTERM");
    killer = setTimeout(() => endGroup(host, child, "SIGKILL"), GRACE_MS);
  };
  stopped.addEventListener("abort", end);
  // The server may have been starting meanwhile.
  if (stopped.aborted) end();
  try {
    const { exitCode, signal } = await ended;
    if (stopped.aborted) return `timed out after ${readableDuration(timeLimitMs)}`;
    return signal === undefined ? `exit code ${exitCode}` : `ended by ${signal}`;
  } finally {
    stopped.removeEventListener("abort", end);
    clearTimeout(killer);
    endGroup(host, child, "SIGKILL");
  }
}

/** Signals CMD and its children. */
function endGroup(host: HostProcess, child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (host.platform === "win32") child.kill(signal);
    else if (child.pid !== undefined) host.kill(-child.pid, signal);
  } catch {
    // The whole group has ended.
  }
}

const TAIL_LINES = 20;
const MAX_COLUMNS = 300;

function lastLines(file: string): readonly string[] {
  const text = stripVTControlCharacters(readFileSync(file, "utf8")).trimEnd();
  const lines = text === "" ? [] : text.split(/\r\n|[\r\n]/).slice(-TAIL_LINES);
  return lines.map((line) => shortened(line.replaceAll(/[^\t\P{C}]/gu, ""), MAX_COLUMNS));
}
