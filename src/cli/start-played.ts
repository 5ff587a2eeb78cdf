/** Starts a server whose world `default` continues from the end of a scenario, played before the server listens. */

import { startServer } from "../adapters/server/server.ts";
import { formatInstant } from "../base/calendar.ts";
import { adsimLine } from "../base/shell.ts";
import { playInWorld, worldOptionsOf } from "../play/play-scenario.ts";
import { playText } from "../play/reports/play-text.ts";
import { MAX_RECORDED_STEPS as maxSteps, overrideWords } from "../play/scenario/parse-scenario.ts";
import type { Server } from "../server.ts";
import { resolveOptions } from "../simulator/simulator-options.ts";
import { type ServerFlags, serverOptions } from "./options/common-options.ts";
import { CommandFailure, exitCodes, wrongUsage } from "./output/exit.ts";
import { say } from "./output/say.ts";
import { errorInSource, resolveScenario } from "./play/load-scenario.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** @throws InputError or CommandFailure before the server listens. If the scenario fails, its report is printed. */
export async function startPlayed(
  source: string,
  flags: ServerFlags,
  host: HostProcess,
): Promise<Server> {
  const other = (["load", "faults"] as const).find((option) => flags[option] !== undefined);
  if (other !== undefined) {
    throw wrongUsage(
      `--${other} can't be combined with --scenario, which sets the state to start from, with its fault rules. Leave one of them out.`,
    );
  }
  const chosen = await resolveScenario(source, flags, host);
  const { clock = "flowing" } = flags;
  // What the scenario leaves out has the defaults of scenarios, not of servers; but the clock is the server's.
  const world = worldOptionsOf(chosen.scenario);
  const start = formatInstant(resolveOptions(world).settings.startMs);
  const options = { ...(await serverOptions(flags, clock)), ...world, clock, start };
  const reproduce = adsimLine(["play", source, ...overrideWords(chosen.overrides)]);
  return await startServer(options, async (worlds) => {
    const simulator = worlds.get("default");
    const playing = playInWorld(simulator, chosen.scenario, { reproduce, maxSteps });
    const played = await playing.catch((error: unknown) => {
      throw errorInSource(chosen, error);
    });
    const { scenario, result, why } = played;
    if (result === "failed") {
      say(playText(played), host.stderr);
      const message = `the scenario ${scenario.name} failed, so the server wasn't started.`;
      throw new CommandFailure(exitCodes.checkFailed, message);
    }
    say(`adsim: played the scenario ${scenario.name} (${result}: ${why})\n`, host.stderr);
    simulator.clock.set({ mode: clock });
  });
}
