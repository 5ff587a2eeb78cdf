/** What the benchmarks share: medians, figures with their targets, and processes that are pinned and cleaned up. */

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { arch, cpus, platform } from "node:os";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");

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

/** `atLeast`, `atMost`: the target, if it has one. */
interface Figure {
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

/** Without `taskset`, or with one core, processes run where the system puts them. */
const canPin = cpus().length >= 2 && spawnSync("which", ["taskset"]).status === 0;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts Node on core 0. It dies with this process. */
export function startNode(args: readonly string[], options: SpawnOptions): ChildProcess {
  const command = [process.execPath, ...args];
  const [first, ...rest] = canPin ? ["taskset", "-c", "0", ...command] : command;
  const child = spawn(first ?? "", rest, { cwd: root, ...options });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Leaves core 0 to what is measured. */
export function pinToCore1(): void {
  if (canPin) spawnSync("taskset", ["-acp", "1", String(process.pid)]);
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

/** Processor time that a process has used, in seconds; NaN where the system doesn't tell. */
export function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // User and system time, in ticks of a hundredth of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
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
