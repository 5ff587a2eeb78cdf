/** Runs CMD once, with its own server and in its own process group, which is killed afterwards. */

import type { ChildProcess } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { type Server, type ServerOptions, startServer } from "../../server.ts";
import {
  type ChildCommand,
  type ChildEnd,
  clientEnvironment,
  startChild,
} from "../processes/child.ts";
import type { HostProcess } from "../processes/host-process.ts";

export type Ending =
  | { readonly kind: "exit"; readonly exitCode: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timed-out" };

/** The result of one run. */
export interface Run {
  readonly passed: boolean;
  readonly ended: Ending;
  readonly durationMs: number;
}

export interface RunOptions {
  readonly command: ChildCommand;
  readonly server: ServerOptions;
  /** The file for standard output and standard error. */
  readonly output: FileHandle;
  readonly timeLimitMs: number;
  readonly running: StopRegistry;
  readonly host: HostProcess;
  /** More environment variables for CMD. */
  readonly env: Readonly<Record<string, string>>;
  /** Called before CMD starts. */
  readonly onStart: (server: Server) => void;
  /** Called before the server closes. */
  readonly onEnd: (server: Server) => void;
}

/** Ends CMD early; the result of its run means nothing then. `now` kills it at once. */
export type Stop = (how: "soon" | "now") => void;

/** The stop functions of the current runs. */
export interface StopRegistry {
  add(stop: Stop): void;
  delete(stop: Stop): void;
}

/** The time for CMD to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 2000;

/** @throws CommandFailure if CMD can't be started, InputError for an invalid option of the server. */
export async function runOnce(options: RunOptions): Promise<Run> {
  const { host } = options;
  const server = await startServer(options.server);
  try {
    const startedMs = performance.now();
    const { fd } = options.output;
    options.onStart(server);
    const childOptions = {
      env: { ...host.env, ...clientEnvironment(server), ...options.env },
      stdio: ["ignore" as const, fd, fd],
      // Its own process group, so that its children can be ended with it.
      detached: host.platform !== "win32",
    };
    const started = startChild(options.command, childOptions, host);
    const { end, timedOut } = await waitWithinLimit(started.child, started.ended, options);
    options.onEnd(server);
    return {
      passed: !timedOut && end.exitCode === 0,
      ended: timedOut ? { kind: "timed-out" } : endingOf(end),
      durationMs: Math.round(performance.now() - startedMs),
    };
  } finally {
    await server.close();
  }
}

function endingOf({ exitCode, signal }: ChildEnd): Ending {
  return signal === undefined ? { kind: "exit", exitCode } : { kind: "signal", signal };
}

/** Waits for CMD up to the time limit, and ends the processes that it leaves behind. */
async function waitWithinLimit(
  child: ChildProcess,
  ended: Promise<ChildEnd>,
  { timeLimitMs, running, host }: RunOptions,
): Promise<{ readonly end: ChildEnd; readonly timedOut: boolean }> {
  let timedOut = false;
  let killer: NodeJS.Timeout | undefined;
  const stop: Stop = (how) => {
    endGroup(host, child, how === "now" ? "SIGKILL" : "SIGTERM");
    killer ??= setTimeout(() => endGroup(host, child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stop("soon");
  }, timeLimitMs);
  running.add(stop);
  try {
    return { end: await ended, timedOut };
  } finally {
    clearTimeout(timer);
    clearTimeout(killer);
    running.delete(stop);
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
