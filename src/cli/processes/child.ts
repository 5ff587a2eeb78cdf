/**
 * Starts a command of the user, and reports how it ended and what it reached. The caller decides about its output and time
 * limit.
 */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { describeError } from "../../base/file-error.ts";
import { createReachRecorder, type Reached, reachedIn } from "../../choices/reached.ts";
import type { Server } from "../../server.ts";
import { type CommandFailure, couldNotRun } from "../output/exit.ts";
import type { HostProcess } from "./host-process.ts";

interface ChildEnd {
  /** 128 plus the signal's number if a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
}

export interface StartedChild {
  readonly child: ChildProcess;
  /** Rejects with a CommandFailure if it can't be started. */
  readonly ended: Promise<ChildEnd>;
}

/**
 * Environment variables for a client: the URL, a publisher with its key and an active surface, the assumptions. An HTTP proxy
 * of CMD's doesn't reach this machine's own addresses, so they are exempt.
 */
export function clientEnvironment(
  server: Server,
  { env }: Pick<HostProcess, "env">,
): Readonly<Record<string, string | undefined>> {
  const exempt = (given: string | undefined): string =>
    [...(given ? [given] : []), "127.0.0.1", "localhost", new URL(server.url).hostname].join(",");
  const world = server.worlds.get("default");
  const [publisher] = world.publishers.credentials(1);
  const surface = publisher?.surfaces.find(({ status }) => status === "active");
  return {
    NO_PROXY: exempt(env.NO_PROXY ?? env.no_proxy),
    no_proxy: exempt(env.no_proxy ?? env.NO_PROXY),
    ADSIM_URL: server.url,
    ADSIM_API_KEY: publisher?.apiKey,
    ADSIM_PUBLISHER_ID: publisher?.id,
    ADSIM_SURFACE_ID: surface?.id,
    ADSIM_ASSUMPTIONS: JSON.stringify(world.assumptions),
  };
}

/** Advice on a client that sent no request. */
export function adviceOnSilence(env: HostProcess["env"]): string {
  const proxy = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].find((name) => env[name]);
  const about =
    proxy === undefined
      ? ""
      : ` Its environment has the proxy ${proxy}=${env[proxy]}: a client that ignores NO_PROXY asks that instead.`;
  return `It must take its base URL from ADSIM_URL, and the rest from ADSIM_API_KEY, ADSIM_PUBLISHER_ID and ADSIM_SURFACE_ID.${about}`;
}

/** Starts the command, without a shell. */
export function startChild(
  [file = "", ...args]: readonly string[],
  options: Pick<SpawnOptions, "stdio" | "detached" | "env">,
  host: HostProcess,
): StartedChild {
  const notStarted = (error: unknown): CommandFailure =>
    couldNotRun(`can't start ${file}: ${describeError(error)}. Check its name, or give its path.`);
  let child: ChildProcess;
  try {
    child = (host.spawn ?? spawn)(file, args, options);
  } catch (error) {
    throw notStarted(error);
  }
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(error)));
    child.once("exit", (code, name) => {
      const signal = name ?? undefined;
      resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0), signal });
    });
  });
  return { child, ended };
}

/**
 * Call it before CMD starts.
 *
 * @param file Where CMD's simulators write: the value of its variable `ADSIM_REACHED`.
 * @returns a function for the time when CMD has ended.
 */
export function collectReach({ worlds }: Server, file: string) {
  const { assumptions } = worlds.get("default");
  const atServer: Reached[] = [];
  /** To the server, in all worlds. */
  let requests = 0;
  const record = createReachRecorder(assumptions, (one) => atServer.push(one));
  worlds.observe((name, entry) => {
    requests += 1;
    record(entry, worlds.peek(name)?.assumptions ?? assumptions);
  });
  return async () => ({
    requests,
    atServer,
    inProcess: reachedIn(await readFile(file, "utf8").catch(() => "")),
  });
}
