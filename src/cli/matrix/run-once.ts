/** One run of CMD against a server of its own, in a process group of its own that doesn't outlive it. */

import type { ChildProcess } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { type Server, type ServerOptions, startServer } from "../../server.ts";
import {
  type ChildCommand,
  type ChildEnd,
  clientEnvironment,
  startChild,
} from "../processes/child.ts";

export type Ending =
  | { readonly kind: "exit"; readonly exitCode: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timed-out" };

/** How one run went. */
export interface Run {
  readonly passed: boolean;
  readonly ended: Ending;
  readonly durationMs: number;
}

export interface RunOptions {
  readonly command: ChildCommand;
  readonly server: ServerOptions;
  /** Takes standard output and standard error. */
  readonly output: FileHandle;
  readonly timeLimitMs: number;
  readonly running: StopRegistry;
  /** Called before the server closes. */
  readonly onEnd: (server: Server) => void;
}

/** Ends CMD early; what its run resolves with says nothing then. `now` leaves it no time to end by itself. */
export type Stop = (how: "soon" | "now") => void;

/** Knows how to end what runs. */
export interface StopRegistry {
  add(stop: Stop): void;
  delete(stop: Stop): void;
}

/** How long CMD has to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 2000;

/** @throws CommandFailure where CMD can't be started, InputError for a wrong option of the server. */
export async function runOnce(options: RunOptions): Promise<Run> {
  const server = await startServer(options.server);
  try {
    const startedMs = performance.now();
    const { fd } = options.output;
    const started = startChild(options.command, clientEnvironment(server), {
      stdio: ["ignore", fd, fd],
      // Of its own, so that what it starts can be ended with it.
      detached: process.platform !== "win32",
    });
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

/** Waits for CMD within its time, and ends what it leaves behind. */
async function waitWithinLimit(
  child: ChildProcess,
  ended: Promise<ChildEnd>,
  { timeLimitMs, running }: RunOptions,
): Promise<{ readonly end: ChildEnd; readonly timedOut: boolean }> {
  let timedOut = false;
  let killer: NodeJS.Timeout | undefined;
  const stop: Stop = (how) => {
    endGroup(child, how === "now" ? "SIGKILL" : "SIGTERM");
    killer ??= setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
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
    endGroup(child, "SIGKILL");
  }
}

/** Signals CMD and all that it started, as long as anything of it is left. */
function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing is left of it.
  }
}
