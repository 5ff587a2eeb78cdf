/**
 * What a command uses of the process that it runs in, and what asks it to end. `main.ts` passes the real process. Nothing else in
 * `cli/` names `process`, except `load-scenario.ts`, since a user's module loads into the real process anyway.
 */

import type { ChildProcess, SpawnOptions } from "node:child_process";

export interface HostProcess
  extends Pick<
    NodeJS.Process,
    "stdin" | "stdout" | "stderr" | "env" | "platform" | "ppid" | "on" | "off" | "kill" | "exit"
  > {
  /** Starts CMD. Tests give a function in its place. @default that of `node:child_process` */
  readonly spawn?: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
}

const endingSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** @returns a function that removes the listener; then the signals have their default effect again. */
export function onEndingSignals(
  host: HostProcess,
  listener: (name: NodeJS.Signals, number: number) => void,
): () => void {
  for (const signal of endingSignals) host.on(signal, listener);
  return () => {
    for (const signal of endingSignals) host.off(signal, listener);
  };
}

/**
 * Calls back when the npm or npx that started this process is gone. It sends its SIGTERM to a shell in between, which doesn't
 * pass it on: the process would go on without them.
 */
export function whenOrphaned(host: HostProcess, then: () => void): void {
  if (host.env.npm_execpath === undefined) return;
  const parent = host.ppid;
  const watch = setInterval(() => {
    if (host.ppid === parent) return;
    clearInterval(watch);
    then();
  }, 100).unref();
}
