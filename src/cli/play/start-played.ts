/** Starts a server whose world `default` continues from the end of a scenario, played before the server listens. */

import { startPrepared } from "../../adapters/server/server.ts";
import { formatInstant } from "../../base/calendar.ts";
import { adsimLine } from "../../base/shell.ts";
import { playInWorld, worldOptionsOf } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { reportText } from "../../play/reports/report-text.ts";
import { overrideWords } from "../../play/scenario/overrides.ts";
import { MAX_RECORDED_STEPS as maxSteps } from "../../play/scenario/parse-scenario.ts";
import type { Server } from "../../server.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { type ServerFlags, serverOptions } from "../options/common-options.ts";
import { CommandFailure, exitCodes, wrongUsage } from "../output/exit.ts";
import type { PlayedScenario } from "../output/ready-message.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { errorInSource, resolveScenario } from "./resolve-scenario.ts";

/** A server, and the scenario from whose end its world `default` continues. */
export interface StartedServer extends Server {
  readonly scenario?: PlayedScenario | undefined;
}

/** @throws InputError or CommandFailure before the server listens. If the scenario fails, its report is printed. */
export async function startPlayed(
  source: string,
  flags: ServerFlags,
  host: HostProcess,
): Promise<StartedServer> {
  for (const option of ["load", "faults"] as const) {
    if (flags[option] === undefined) continue;
    throw wrongUsage(
      `--${option} can't be combined with --scenario, which sets the state to start from, with its fault rules. Leave one of them out.`,
    );
  }
  const chosen = await resolveScenario(source, flags, host);
  const world = worldOptionsOf(chosen.scenario);
  const { settings } = resolveOptions(world);
  const clock = flags.clock ?? "flowing";
  const given = await serverOptions(flags, clock);
  // Options that the scenario leaves out have the defaults of scenarios, not of servers; but the clock is the server's.
  const start = formatInstant(settings.startMs);
  const options = { ...given, ...world, clock: given.clock, start };
  const reproduce = adsimLine(["play", source, ...overrideWords(chosen.overrides)]);
  let result: PlayResult | undefined;
  const server = await startPrepared(options, async (worlds) => {
    const simulator = worlds.get("default");
    result = await playInWorld(simulator, chosen.scenario, {
      reproduce,
      maxSteps,
    }).catch((error: unknown) => {
      throw errorInSource(chosen, error);
    });
    refuseFailed(result, host);
    simulator.clock.set({ mode: clock });
  });
  if (result === undefined) return server;
  const { scenario, result: how, why } = result;
  return Object.assign(server, { scenario: { name: scenario.name, result: how, why } });
}

function refuseFailed(result: PlayResult, { stderr }: HostProcess): void {
  if (result.result !== "failed") return;
  say(reportText(result), stderr);
  throw new CommandFailure(
    exitCodes.checkFailed,
    `the scenario ${result.scenario.name} failed, so the server wasn't started.`,
  );
}
