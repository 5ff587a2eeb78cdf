/** What the benchmarks share: interleaved rounds, medians, and child processes that are pinned and cleaned up. */

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { arch, cpus, platform, tmpdir } from "node:os";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");
export const temporary = tmpdir();

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The machine and Node, as they belong beside any figure. */
export function printMachine(): void {
  const [cpu] = cpus();
  const model = cpu?.model.trim() ?? "unknown processor";
  console.log(
    `Node ${process.versions.node}, ${platform()} ${arch()}, ${cpus().length} × ${model}`,
  );
}

/** `target`: what the figure must reach, at least or at most. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Prints a figure with its target, and whether it is met. */
export function printFigure({ name, value, unit, atLeast, atMost }: Figure): void {
  const target = atLeast ?? atMost;
  const met = atLeast === undefined ? value <= (atMost ?? 0) : value >= atLeast;
  const bound = atLeast === undefined ? "at most" : "at least";
  const verdict =
    target === undefined ? "" : `  target ${bound} ${shown(target)}: ${met ? "met" : "MISSED"}`;
  console.log(`${name.padEnd(58)} ${shown(value).padStart(11)} ${unit}${verdict}`);
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

/** How long `work` takes, in milliseconds. */
export function timed(work: () => void): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

/** What is measured takes turns with this: a body is parsed, and nothing done with it. */
export function parseBody(body: string): void {
  const parsed = JSON.parse(body) as { ad_id: unknown };
  if (typeof parsed.ad_id !== "string") throw new Error("A body is not as it was made.");
}

/** Without `taskset`, or with one core, processes run where the system puts them. */
export const canPin = cpus().length >= 2 && spawnSync("which", ["taskset"]).status === 0;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a process on one core, or on all. It dies with this one. */
export function spawnOn(
  core: 0 | 1 | "all",
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const isPinned = canPin && core !== "all";
  const pinned = isPinned ? ["taskset", "-c", String(core), command, ...args] : [command, ...args];
  const [first = command, ...rest] = pinned;
  const child = spawn(first, rest, { cwd: root, stdio: ["ignore", "pipe", "inherit"], ...options });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

/** All that a process writes to its standard output until it ends. */
export async function outputOf(child: ChildProcess): Promise<string> {
  const chunks: string[] = [];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A process ended with ${code}: ${chunks.join("")}`);
  return chunks.join("");
}

/** Processor time that a process has used, in seconds; undefined where the system doesn't tell. */
export function processorSeconds(pid: number | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // User and system time, in ticks of a hundredth of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until `url` answers, whatever it answers. @throws Error after about 20 s. */
export async function untilAnswered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 10_000; attempt += 1) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  throw new Error(`${url} didn't answer.`);
}
