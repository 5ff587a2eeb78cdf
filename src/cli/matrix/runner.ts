/** Runs CMD under many sets of overrides, several at a time, each with its own server, and remembers the results. */

import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import pLimit from "p-limit";
import { digestOf } from "../../base/digest.ts";
import { shortened } from "../../base/text.ts";
import { type ChoiceOverrides, nameOf } from "../../choices/choice-overrides.ts";
import { REACHED, type Reached } from "../../choices/reached.ts";
import { type ServerOptions, startServer } from "../../server.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import {
  type ChildEnd,
  clientEnvironment,
  type StartedChild,
  startChild,
} from "../processes/child.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { collectReach } from "../processes/reach.ts";
import type { Trials } from "./shrink.ts";

/** The result of one run. */
export interface FinishedRun {
  readonly passed: boolean;
  readonly ended: Ending;
  /** Requests to the server. */
  readonly requests: number;
  /** Whether simulators in CMD's own processes answered requests. */
  readonly inProcess: boolean;
  readonly durationMs: number;
  /** The output of a failed run, if it was kept. */
  readonly output?: KeptOutput;
}

export type Ending =
  | { readonly kind: "exit"; readonly exitCode: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timed-out" };

export interface KeptOutput {
  readonly file: string;
  /** Its last lines, without control characters. */
  readonly tail: readonly string[];
}

/** Thrown by runs that were waiting or running when the runner was stopped. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export interface Runner extends Trials {
  /** Runs CMD even if a result is remembered. If it fails, its output is kept under `keepAs`. */
  run(overrides: ChoiceOverrides, keepAs: string): Promise<FinishedRun>;
  /** The last run that `failsAgain` made with these overrides. */
  confirmed(overrides: ChoiceOverrides): FinishedRun | undefined;
  /** How many runs have ended. */
  readonly runs: number;
  /** Ends the current runs and starts no others. Resolves once all have ended. */
  stop(): Promise<void>;
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
  /** Called after each run, with what its requests reached. */
  readonly onRun: (reached: readonly Reached[], passed: boolean) => void;
}

export function createRunner(options: RunnerOptions): Runner {
  const { words, folder, host } = options;
  const failures = new Map<string, Promise<boolean>>();
  const confirmed = new Map<string, FinishedRun>();
  const children = new Set<StartedChild>();
  const underWay = new Set<Promise<unknown>>();
  const limit = pLimit(options.jobs);
  let [runs, started, isStopped] = [0, 0, false];

  /** `keepAs`: the name of the file for a failed run's output, if it is to be kept. */
  async function runOnce(assumptions: Assumptions, keepAs?: string): Promise<FinishedRun> {
    started += 1;
    const file = join(folder, `${keepAs ?? `trial-${started}`}.log`);
    const reachedFile = `${file}.reached`;
    const output = openSync(file, "w");
    const server = await startServer({ ...options.server, assumptions });
    let isKept = false;
    try {
      const startedMs = performance.now();
      const reachedBy = collectReach(server, reachedFile);
      const child = startChild(
        words,
        {
          env: { ...host.env, ...clientEnvironment(server, host), [REACHED]: reachedFile },
          stdio: ["ignore", output, output],
          // Its own process group, so that its children can be ended with it.
          detached: host.platform !== "win32",
        },
        host,
      );
      children.add(child);
      // The runner was stopped while this run's server was starting.
      if (isStopped) endGroup(host, child.child, "SIGTERM");
      const { end, timedOut } = await endOf(child, options).finally(() => children.delete(child));
      const { requests, atServer, inProcess } = await reachedBy();
      if (isStopped) throw new Interrupted();
      const passed = !timedOut && end.exitCode === 0;
      runs += 1;
      options.onRun([...atServer, ...inProcess], passed);
      isKept = !passed && keepAs !== undefined;
      return {
        ...{ passed, requests, inProcess: inProcess.length > 0 },
        ended: timedOut ? { kind: "timed-out" } : endingOf(end),
        durationMs: Math.round(performance.now() - startedMs),
        ...(isKept && { output: { file, tail: lastLines(file) } }),
      };
    } finally {
      await server.close();
      closeSync(output);
      rmSync(reachedFile, { force: true });
      if (!isKept) rmSync(file, { force: true });
    }
  }

  async function run(overrides: ChoiceOverrides, keepAs?: string): Promise<FinishedRun> {
    const finished = await limit(() => {
      if (isStopped) throw new Interrupted();
      const running = runOnce(options.assumptionsWith(overrides), keepAs);
      underWay.add(running);
      return running.finally(() => underWay.delete(running));
    });
    failures.set(nameOf(overrides), Promise.resolve(!finished.passed));
    return finished;
  }

  return {
    get runs(): number {
      return runs;
    },
    run,
    fails(overrides) {
      const name = nameOf(overrides);
      const failing = failures.get(name) ?? run(overrides).then(({ passed }) => !passed);
      failures.set(name, failing);
      return failing;
    },
    async failsAgain(overrides) {
      const finished = await run(overrides, fileNameOf(overrides));
      confirmed.set(nameOf(overrides), finished);
      return !finished.passed;
    },
    confirmed: (overrides) => confirmed.get(nameOf(overrides)),
    async stop() {
      isStopped = true;
      for (const { child } of children) {
        endGroup(host, child, "SIGTERM");
        setTimeout(() => endGroup(host, child, "SIGKILL"), GRACE_MS).unref();
      }
      await Promise.allSettled(underWay);
    },
    kill() {
      for (const { child } of children) endGroup(host, child, "SIGKILL");
    },
  };
}

/** The time for CMD to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 2000;

/** Waits for CMD up to the time limit, and ends the processes that it leaves behind. */
async function endOf(
  { child, ended }: StartedChild,
  { timeLimitMs, host }: Pick<RunnerOptions, "timeLimitMs" | "host">,
): Promise<{ readonly end: ChildEnd; readonly timedOut: boolean }> {
  let timedOut = false;
  let killer: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(host, child, "SIGTERM");
    killer = setTimeout(() => endGroup(host, child, "SIGKILL"), GRACE_MS);
  }, timeLimitMs);
  try {
    return { end: await ended, timedOut };
  } finally {
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

function endingOf({ exitCode, signal }: ChildEnd): Ending {
  return signal === undefined ? { kind: "exit", exitCode } : { kind: "signal", signal };
}

/** Short enough for file systems, whose names may have about 255 bytes. */
function fileNameOf(overrides: ChoiceOverrides): string {
  const name = nameOf(overrides);
  return name.length > 120 ? `set-${digestOf([name])}` : name;
}

const TAIL_BYTES = 16_384;
const TAIL_LINES = 20;
const MAX_COLUMNS = 300;

function lastLines(file: string): readonly string[] {
  const bytes = readFileSync(file);
  const text = stripVTControlCharacters(bytes.subarray(-TAIL_BYTES).toString("utf8"));
  const all = text.split(/\r\n|[\r\n]/);
  // The first line is incomplete if the file has more before it.
  const whole = bytes.length > TAIL_BYTES && all.length > 1 ? all.slice(1) : all;
  const lines = whole.map((line) => line.replaceAll(/[^\t\P{C}]/gu, "").trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines.slice(-TAIL_LINES).map((line) => shortened(line, MAX_COLUMNS));
}
