/** The processes of these tests: servers of ours and balancers. None of them outlives the run. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";

const entry = join(import.meta.dirname, "../../src/cli/main.ts");
const running = new Set<ChildProcess>();
process.once("exit", endAll);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Not SIGKILL, with which nginx would leave its workers behind. */
export function endAll(): void {
  for (const child of running) child.kill("SIGTERM");
}

/** Starts a program. Its standard error is shown if it ends by itself. */
export function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  running.add(child);
  child.once("exit", (code, signal) => {
    running.delete(child);
    if (signal === null && code !== 0) console.error(`${program} ended with ${code}: ${said}`);
  });
  return child;
}

/** Ends a process and waits for its end. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

export interface Replica {
  readonly port: number;
  readonly child: ChildProcess;
}

/** Starts `adsim serve` and waits until it listens. */
export async function startReplica(port: number, args: readonly string[]): Promise<Replica> {
  const all = [entry, "serve", "--port", String(port), "--json", ...args];
  const child = start(process.execPath, all);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", () => resolve());
    child.once("exit", () => reject(new Error("adsim ended before it was ready.")));
  });
  await ready;
  child.stdout?.resume();
  return { port, child };
}

/**
 * Ports that are free now, elsewhere for each run. They are below those that the system gives to clients: a replica that was
 * killed must get its port back.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let port = 20_000 + (process.pid % 500) * 20; found.length < count; port += 1) {
    if (await isFree(port)) found.push(port);
  }
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
