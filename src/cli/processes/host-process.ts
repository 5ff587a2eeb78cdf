/**
 * What a command uses of the process that it runs in. `main.ts` passes the real one. Nothing else in `cli/` names `process`, except
 * `load-module.ts`, since a user's module loads into the real process anyway.
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
