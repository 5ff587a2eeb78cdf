/** Runs CMD under sets of overrides, several at a time, each with its own server, and remembers the results. */

import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import pLimit from "p-limit";
import { shortened } from "../../base/text.ts";
import { type ChoiceOverrides, nameOf } from "../../choices/choice-overrides.ts";
import { REACHED, type Reached } from "../../choices/reached.ts";
import { readableDuration } from "../../play/measure/quantities.ts";
import { type ServerOptions, startServer } from "../../server.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { clientEnvironment, type StartedChild, startChild } from "../processes/child.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { collectReach } from "../processes/reach.ts";
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
  /** The last run with these overrides that has ended. */
  last(overrides: ChoiceOverrides): Run | undefined;
  /** How many runs have ended. */
  readonly runs: number;
  /** Resolves once no CMD runs any more. */
  idle(): Promise<unknown>;
  /** Kills the current runs at once, when the process exits. */
  kill(): void;
}

export interface RunnerOptions {
  readonly words: readonly string[];
  readonly server: ServerOptions;
  readonly assumptionsWith: (overrides: ChoiceOverrides) => Assumptions;
  /** Where CMD's output goes. */
  readonly folder: string;
  readonly timeLimitMs: number;
  readonly jobs: number;
  readonly host: HostProcess;
  /** Ends the current runs, and rejects those that wait. */
  readonly stop: AbortSignal;
  /** Called after each run, with what its requests reached. */
  readonly onRun: (reached: readonly Reached[], passed: boolean) => void;
}

export function createRunner(options: RunnerOptions): Runner {
  const { stop, folder } = options;
  const started: Promise<Run>[] = [];
  const latest = new Map<string, Promise<Run>>();
  const ended = new Map<string, Run>();
  const children = new Set<ChildProcess>();
  const limit = pLimit(options.jobs);
  let runs = 0;

  function run(overrides: ChoiceOverrides): Promise<Run> {
    const running = limit(async () => {
      stop.throwIfAborted();
      const file = join(folder, `${String(started.indexOf(running) + 1).padStart(3, "0")}.log`);
      const one = await runOnce(options.assumptionsWith(overrides), file, children, options);
      runs += 1;
      ended.set(nameOf(overrides), one);
      return one;
    });
    started.push(running);
    latest.set(nameOf(overrides), running);
    return running;
  }

  return {
    get runs(): number {
      return runs;
    },
    run,
    fails: async (overrides) => !(await (latest.get(nameOf(overrides)) ?? run(overrides))).passed,
    failsAgain: async (overrides) => !(await run(overrides)).passed,
    last: (overrides) => ended.get(nameOf(overrides)),
    idle: () => Promise.allSettled(started),
    kill() {
      for (const child of children) endGroup(options.host, child, "SIGKILL");
    },
  };
}

async function runOnce(
  assumptions: Assumptions,
  file: string,
  children: Set<ChildProcess>,
  options: RunnerOptions,
): Promise<Run> {
  const { words, host, stop } = options;
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
    children.add(started.child);
    const ended = await endOf(started, options).finally(() => children.delete(started.child));
    const { requests, atServer, inProcess } = await reachedBy();
    stop.throwIfAborted();
    const passed = ended === "exit code 0";
    options.onRun([...atServer, ...inProcess], passed);
    hasFailed = !passed;
    return {
      ...{ passed, ended, requests, inProcess: inProcess.length > 0 },
      durationMs: Math.round(performance.now() - startedMs),
      ...(hasFailed && { output: { file, tail: lastLines(file) } }),
    };
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
  let [isLate, killer]: [boolean, NodeJS.Timeout | undefined] = [false, undefined];
  const end = (): void => {
    endGroup(host, child, "SIGTERM");
    killer = setTimeout(() => endGroup(host, child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeLimitMs);
  stop.addEventListener("abort", end);
  // The server may have been starting meanwhile.
  if (stop.aborted) end();
  try {
    const { exitCode, signal } = await ended;
    if (isLate) return `timed out after ${readableDuration(timeLimitMs)}`;
    return signal === undefined ? `exit code ${exitCode}` : `ended by ${signal}`;
  } finally {
    stop.removeEventListener("abort", end);
    clearTimeout(timer);
    clearTimeout(killer);
    endGroup(host, child, "SIGKILL");
  }
}

/** Signals CMD and its children. */
function endGroup(host: HostProcess, child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (host.platform === "win32") {
    child.kill(signal);
    return;
  }
  try {
    host.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}

const TAIL_BYTES = 16_384;
const TAIL_LINES = 20;
const MAX_COLUMNS = 300;

function lastLines(file: string): readonly string[] {
  const end = readFileSync(file).subarray(-TAIL_BYTES).toString("utf8");
  const lines = stripVTControlCharacters(end)
    .trimEnd()
    .split(/\r\n|[\r\n]/)
    .map((line) => shortened(line.replaceAll(/[^\t\P{C}]/gu, ""), MAX_COLUMNS).trimEnd());
  return lines[0] === "" && lines.length === 1 ? [] : lines.slice(-TAIL_LINES);
}
