/** Starts a server whose world `default` continues from the end of a scenario, played before the server listens. */

import { startPrepared } from "../../adapters/server/server.ts";
import { formatInstant } from "../../base/calendar.ts";
import { playInWorld, worldOptionsOf } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { reportText } from "../../play/reports/report-text.ts";
import type { Server } from "../../server.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { type ServerFlags, serverOptions } from "../options/common-options.ts";
import { CommandFailure, exitCodes, wrongUsage } from "../output/exit.ts";
import type { PlayedScenario } from "../output/ready-message.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { errorInSource, reproduceLine, resolveScenario } from "./resolve-scenario.ts";

/** @throws InputError or CommandFailure before the server listens. If the scenario is broken, its report is printed. */
export async function startPlayed(
  source: string,
  flags: ServerFlags,
  host: HostProcess,
): Promise<Server & { readonly scenario: PlayedScenario | undefined }> {
  refuseWrongUsage(flags);
  const chosen = await resolveScenario(source, flags, host);
  const { scenario } = chosen;
  const world = worldOptionsOf(scenario);
  const { settings } = resolveOptions(world);
  const clock = flags.clock ?? "flowing";
  const given = await serverOptions(flags, clock);
  // Options that the scenario leaves out have the defaults of scenarios, not of servers; but the clock is the server's.
  const options = {
    ...given,
    ...world,
    clock: given.clock,
    start: formatInstant(settings.startMs),
  };
  let result: PlayResult | undefined;
  const server = await startPrepared(options, async (worlds) => {
    const world = worlds.get("default");
    const reproduce = reproduceLine(["play"], chosen);
    result = await playInWorld(world, scenario, { reproduce }).catch((error) => {
      throw errorInSource(chosen, error);
    });
    refuseBroken(result, host);
    world.clock.set({ mode: clock });
  });
  return Object.assign(server, { scenario: result && playedOf(result) });
}

function playedOf({ scenario, result, why }: PlayResult): PlayedScenario {
  return { name: scenario.name, result, why };
}

function refuseBroken(result: PlayResult, { stderr }: HostProcess): void {
  if (result.result !== "failed") return;
  say(reportText(result), stderr);
  throw new CommandFailure(
    exitCodes.checkFailed,
    `the scenario ${result.scenario.name} is broken, so the server wasn't started.`,
  );
}

function refuseWrongUsage({ load, faults }: ServerFlags): void {
  const [option, why] =
    load !== undefined
      ? ["--load", "each of them sets the state to start from"]
      : ["--faults", "the scenario's own rules apply from its start"];
  if (load === undefined && faults === undefined) return;
  throw wrongUsage(`${option} can't be combined with --scenario: ${why}. Leave one of them out.`);
}
