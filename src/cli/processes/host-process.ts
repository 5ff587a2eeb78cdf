/** What a command uses of the process that it runs in. `main.ts` passes the real one; nothing else here names `process`. */

export type HostProcess = Pick<
  NodeJS.Process,
  "stdin" | "stdout" | "stderr" | "env" | "platform" | "on" | "off" | "kill" | "exit"
>;
