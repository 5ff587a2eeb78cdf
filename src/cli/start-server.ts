/**
 * Starts the server of `serve` and `exec`, from a saved state or the end of a scenario if one is given, and saves it at
 * the end. Code that deals with files is loaded on demand: most servers start without it.
 */

import { existsSync } from "node:fs";
import { extname } from "node:path";
import type { ClockMode } from "../base/clock.ts";
import { type Server, startServer } from "../server.ts";
import { type ServerFlags, serverOptions } from "./options/common-options.ts";
import { wrongUsage } from "./output/exit.ts";
import type { PlayedScenario } from "./output/ready-message.ts";
import { say } from "./output/say.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** A server, and the scenario from whose end its world `default` continues. */
export interface StartedServer extends Server {
  readonly scenario?: PlayedScenario | undefined;
}

/** @throws InputError, CommandFailure or SnapshotFileError before the server listens. */
export async function startFrom(
  flags: ServerFlags,
  defaultClock: ClockMode,
  host: HostProcess,
): Promise<StartedServer> {
  await assertOwnFiles(flags);
  if (flags.saveOnExit !== undefined) {
    const { checkSavable } = await import("../adapters/files/snapshot-file.ts");
    // Checked now, rather than when the state is to be saved.
    await checkSavable(flags.saveOnExit);
  }
  if (flags.trace !== undefined) {
    const { checkTrace } = await import("./write-trace.ts");
    await checkTrace(flags);
  }
  if (flags.scenario !== undefined) {
    const { startPlayed } = await import("./play/start-played.ts");
    return startPlayed(flags.scenario, flags, host);
  }
  if (flags.load === undefined || (await isFirstStart(flags, host))) {
    return startServer(await serverOptions(flags, defaultClock));
  }
  const { startLoaded } = await import("./start-loaded.ts");
  return startLoaded(flags.load, flags);
}

/** What is written must not replace a file of another option. Only the state may go to where it came from. */
async function assertOwnFiles(flags: ServerFlags): Promise<void> {
  const { load, faults, scenario = "", saveOnExit, trace } = flags;
  // Without an ending it is the name of one that comes with adsim.
  const played = extname(scenario) === "" ? undefined : scenario;
  const read = { "--load": load, "--faults": faults, "--scenario": played };
  await assertOwnFile("--save-on-exit", saveOnExit, { ...read, "--load": undefined });
  await assertOwnFile("the trace", trace, { ...read, "--save-on-exit": saveOnExit });
}

async function assertOwnFile(
  what: string,
  file: string | undefined,
  others: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const [option, other] of Object.entries(others)) {
    if (!(await isSameFile(file, other))) continue;
    throw wrongUsage(`${what} would replace ${other}, the file of ${option}. Name another file`);
  }
}

/** Whether they are the same file, or will be. */
async function isSameFile(one: string | undefined, other: string | undefined): Promise<boolean> {
  if (one === undefined || other === undefined) return false;
  const { endOfLinks } = await import("../adapters/files/whole-file.ts");
  return (await endOfLinks(one)) === (await endOfLinks(other));
}

/** A server that goes on from the file that it saves to starts with a new world while there is none. */
async function isFirstStart(
  { load = "", saveOnExit }: ServerFlags,
  { stderr }: HostProcess,
): Promise<boolean> {
  if (!(await isSameFile(load, saveOnExit)) || existsSync(load)) return false;
  say(`adsim: ${load} doesn't exist yet, so this starts with a new world\n`, stderr);
  return true;
}

/** Writes the file of `--trace`. Call it once the server has closed. @returns false if that failed. */
export async function traceOnExit(
  flags: ServerFlags,
  server: Server,
  title: string,
  host: HostProcess,
): Promise<boolean> {
  if (flags.trace === undefined) return true;
  const { writeTrace } = await import("./write-trace.ts");
  return writeTrace(flags.trace, server, title, host);
}

/** Saves the world `default` to the file of `--save-on-exit`. Call it once the server has closed. */
export async function saveOnExit(
  flags: ServerFlags,
  server: Server,
  { stderr }: HostProcess,
): Promise<void> {
  if (flags.saveOnExit === undefined) return;
  const { saveSnapshot } = await import("../adapters/files/snapshot-file.ts");
  const { replaced } = await saveSnapshot(server.worlds.get("default"), flags.saveOnExit);
  const instead = replaced ? ", which replaced the file that was there" : "";
  say(`adsim: saved the state to ${flags.saveOnExit}${instead}\n`, stderr);
}
