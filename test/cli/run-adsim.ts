/** Runs the command line from source in a process of its own, for the tests of it. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";

/** The command line's source. */
export const entry: string = join(import.meta.dirname, "../../src/cli/main.ts");

export interface Adsim {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Resolves once stdout holds `text`; rejects when the process ends before. */
  waitFor(text: string): Promise<void>;
}

/** Starts `adsim ARGS`, with `input` as its standard input. Whatever becomes of the test, the process doesn't outlive it. */
export function startAdsim(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = "",
): Adsim {
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  // Who doesn't read it isn't wrong.
  child.stdin.on("error", () => undefined).end(input);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Awaited<Adsim["ended"]>>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stdout.includes(text)) resolve();
        };
        look();
        child.stdout.on("data", look);
        void ended.then(() => reject(new Error(`adsim ended before it said ${text}: ${stderr}`)));
      }),
  };
}

/** Runs `adsim ARGS` to its end. */
export async function runAdsim(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const adsim = startAdsim(args, environment);
  const { code } = await adsim.ended;
  return { code, stdout: adsim.stdout(), stderr: adsim.stderr() };
}
