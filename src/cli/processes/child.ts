/** Starts a command of the user and reports how it ended. The caller decides about its output and time limit. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import { describeError } from "../../base/file-error.ts";
import type { Server } from "../../server.ts";
import { type CommandFailure, couldNotRun, wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "./host-process.ts";

/** The command to run, without a shell. */
export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export interface ChildEnd {
  /** 128 plus the signal's number if a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
}

export interface StartedChild {
  readonly child: ChildProcess;
  /** Rejects with a CommandFailure if it can't be started. */
  readonly ended: Promise<ChildEnd>;
}

/** @throws CommandFailure if there is no command. */
export function childCommand(words: readonly string[], adsimCommand: string): ChildCommand {
  const [file, ...args] = words;
  if (file !== undefined && file !== "") return { file, args };
  throw wrongUsage(
    `CMD is missing. Say what to run, such as: npx adsim ${adsimCommand} -- npm test`,
  );
}

/** Environment variables for a client: the URL, a publisher with its key and an active surface, the assumptions. */
export function clientEnvironment(server: Server): Readonly<Record<string, string | undefined>> {
  const world = server.worlds.get("default");
  const [publisher] = world.publishers.credentials(1);
  const surface = publisher?.surfaces.find(({ status }) => status === "active");
  return {
    ADSIM_URL: server.url,
    ADSIM_API_KEY: publisher?.apiKey,
    ADSIM_PUBLISHER_ID: publisher?.id,
    ADSIM_SURFACE_ID: surface?.id,
    ADSIM_ASSUMPTIONS: JSON.stringify(world.assumptions),
  };
}

/** Starts the command. */
export function startChild(
  { file, args }: ChildCommand,
  options: Pick<SpawnOptions, "stdio" | "detached" | "env">,
  host: HostProcess,
): StartedChild {
  let child: ChildProcess;
  try {
    child = (host.spawn ?? spawn)(file, args, options);
  } catch (error) {
    throw notStarted(file, error);
  }
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(file, error)));
    child.once("exit", (code, signal) =>
      resolve({
        exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        signal: signal ?? undefined,
      }),
    );
  });
  return { child, ended };
}

function notStarted(file: string, error: unknown): CommandFailure {
  return couldNotRun(
    `can't start ${file}: ${describeError(error)}. Check its name, or give its path.`,
  );
}
