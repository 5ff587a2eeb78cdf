/** Runs the command line from source: in this process, and in one of its own for the few tests that are about processes. */

import {
  type ChildProcess,
  type ChildProcessByStdio,
  type SpawnOptions,
  spawn,
} from "node:child_process";
import { EventEmitter } from "node:events";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { HostProcess } from "../../src/cli/processes/host-process.ts";
import { run } from "../../src/cli/program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The command line's source. */
export const entry = join(import.meta.dirname, "../../src/cli/main.ts");

type Environment = Readonly<Record<string, string>>;

export interface Adsim {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the command has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Resolves once stdout holds `text`; rejects when the command ends before. */
  waitFor(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

/** What CMD does where it is a function in this process. @returns its exit code, if that isn't 0 */
export type Cmd = (cmd: {
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
}) => unknown;

/** How often output is looked at while a test waits for it, in milliseconds. */
const LOOK_AGAIN_MS = 5;

/** Ends a command in this process at once, as `process.exit` would. */
class Exited extends Error {}

interface TestHost extends HostProcess {
  emit(signal: NodeJS.Signals, name: NodeJS.Signals, number: number): boolean;
}

interface Hosted extends Pick<Adsim, "stdout" | "stderr"> {
  readonly host: TestHost;
  /** The code of `host.exit`. */
  readonly exited: Promise<number>;
}

/** A process for a command to run in, with `input` as its standard input. */
export function createHost(
  environment: Environment = {},
  input = "",
  spawnCmd?: HostProcess["spawn"],
): Hosted {
  const [stdout, stderr] = [openOutput("stdout"), openOutput("stderr")];
  const exit = Promise.withResolvers<number>();
  const host = Object.assign(new EventEmitter(), {
    stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...process.env, ...environment },
    platform: process.platform,
    ...(spawnCmd !== undefined && { spawn: spawnCmd }),
    kill: (pid: number, name: NodeJS.Signals) => process.kill(pid, name),
    exit(code: number): never {
      exit.resolve(code);
      throw new Exited();
    },
    // The streams have every member that commands use.
  }) as unknown as TestHost;
  return { host, stdout: stdout.text, stderr: stderr.text, exited: exit.promise };
}

/** Takes this function for every command. Nothing ends it but itself. */
export function spawnerOf(cmd: Cmd): HostProcess["spawn"] {
  return (_file, _args, { env = {}, stdio }: SpawnOptions) => {
    const output = Number(stdio?.[1]);
    const child = new EventEmitter();
    const run = async (): Promise<unknown> =>
      cmd({ env, print: (text) => writeSync(output, text) });
    void run().then(
      (code) => child.emit("exit", code ?? 0, null),
      (error: unknown) => child.emit("error", error),
    );
    // Without a pid no signal is sent to it.
    return child as unknown as ChildProcess;
  };
}

/** Starts `adsim ARGS` in this process. It ends with the test at the latest. */
export function startAdsim(
  args: readonly string[],
  environment?: Environment,
  input?: string,
  spawnCmd?: HostProcess["spawn"],
): Adsim {
  const { host, stdout, stderr, exited } = createHost(environment, input, spawnCmd);
  const code = Promise.race([run(args, host), exited]);
  const ended = code.then((value) => ({ code: value, signal: null }));
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  const signal = (name: NodeJS.Signals): void => {
    host.emit(name, name, constants.signals[name]);
  };
  onTestFinished(async () => {
    if (!isOver) signal("SIGTERM");
    await ended;
  });
  return {
    stdout,
    stderr,
    ended,
    signal,
    async waitFor(text) {
      while (!stdout().includes(text)) {
        if (isOver) throw new Error(`adsim ended before it said ${text}: ${stderr()}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    },
  };
}

/** A file in place of a standard stream: CMD can inherit its descriptor. */
function openOutput(name: string): { readonly stream: Writable; readonly text: () => string } {
  const path = join(temporaryFolder(), name);
  const fd = openSync(path, "a");
  onTestFinished(() => closeSync(fd));
  const stream = new Writable({
    write(chunk, _encoding, done) {
      writeSync(fd, chunk);
      done();
    },
  });
  return { stream: Object.assign(stream, { fd }), text: () => readFileSync(path, "utf8") };
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `adsim ARGS` to its end in this process. */
export function runAdsim(args: readonly string[], environment?: Environment): Promise<Ran> {
  return toItsEnd(startAdsim(args, environment));
}

/** Runs `adsim ARGS -- CMD`, with this function as CMD. */
export function runAdsimOver(
  cmd: Cmd,
  args: readonly string[],
  environment?: Environment,
): Promise<Ran> {
  return toItsEnd(startAdsim([...args, "--", "client"], environment, "", spawnerOf(cmd)));
}

/** Runs `adsim ARGS` in this process. CMD starts in this folder. */
export function runAdsimIn(
  cwd: string,
  args: readonly string[],
  environment?: Environment,
): Promise<Ran> {
  const spawnCmd: HostProcess["spawn"] = (file, words, options) =>
    spawn(file, words, { ...options, cwd });
  return toItsEnd(startAdsim(args, environment, "", spawnCmd));
}

export interface AdsimProcess extends Adsim {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
}

/** Starts `adsim ARGS` in a process of its own. Whatever becomes of the test, the process doesn't outlive it. */
export function spawnAdsim(
  args: readonly string[],
  environment: Environment = {},
  input = "",
): AdsimProcess {
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  // A command may end without reading its input.
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
    signal: (name) => void child.kill(name),
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

async function toItsEnd(adsim: Adsim): Promise<Ran> {
  const { code } = await adsim.ended;
  return { code, stdout: adsim.stdout(), stderr: adsim.stderr() };
}
