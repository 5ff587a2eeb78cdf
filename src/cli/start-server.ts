/**
 * Starts the server of `serve` and `exec`, from a saved state or a scenario's end where there is one, and
 * saves it at the end. What deals with
 * files is loaded on need: most servers start without.
 */

import type { ClockMode } from "../base/clock.ts";
import { type Server, startServer } from "../server.ts";
import { type ServerFlags, serverOptions } from "./options/common-options.ts";
import type { PlayedScenario } from "./output/ready-message.ts";
import { say } from "./output/say.ts";

/** A server, and the scenario that its world `default` goes on from. */
export interface StartedServer extends Server {
  readonly scenario?: PlayedScenario | undefined;
}

/** @throws InputError, CommandFailure or SnapshotFileError, before anything listens. */
export async function startFrom(
  flags: ServerFlags,
  defaultClock: ClockMode,
): Promise<StartedServer> {
  if (flags.saveOnExit !== undefined) {
    const { checkSavable } = await import("../adapters/files/snapshot-file.ts");
    // Now, rather than with the state at the end.
    await checkSavable(flags.saveOnExit);
  }
  if (flags.scenario !== undefined) {
    const { startPlayed } = await import("./play/start-played.ts");
    return startPlayed(flags.scenario, flags);
  }
  if (flags.load === undefined) return startServer(await serverOptions(flags, defaultClock));
  const { startLoaded } = await import("./start-loaded.ts");
  return startLoaded(flags.load, flags);
}

/** Saves the world `default` where `--save-on-exit` says so. To be called once the server has closed. */
export async function saveOnExit(flags: ServerFlags, server: Server): Promise<void> {
  if (flags.saveOnExit === undefined) return;
  const { saveSnapshot } = await import("../adapters/files/snapshot-file.ts");
  const { replaced } = await saveSnapshot(server.worlds.get("default"), flags.saveOnExit);
  const instead = replaced ? ", which replaced the file that was there" : "";
  say(`adsim: saved the state to ${flags.saveOnExit}${instead}\n`);
}
