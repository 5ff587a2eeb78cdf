/**
 * What a command uses of the process that it runs in. `main.ts` passes the real one. Nothing else in `cli/` names `process`, except
 * `load-module.ts`, since a user's module loads into the real process anyway.
 */

export type HostProcess = Pick<
  NodeJS.Process,
  "stdin" | "stdout" | "stderr" | "env" | "platform" | "on" | "off" | "kill" | "exit"
>;
