/** `adsim play SCENARIO`: plays it in this process or at a target, prints the result, and writes reports. */

import { wrongUsage } from "../output/exit.ts";
import { checkReports } from "../output/reports.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { playHere } from "./play-here.ts";
import type { PlayFlags } from "./play-options.ts";
import { errorInSource, reproduceLine, resolveScenario } from "./resolve-scenario.ts";
import { readTargetFlags } from "./target-flags.ts";
import { exitCodeOf, tellResult } from "./tell-result.ts";

/** @returns 0 if every scenario held; 1 if one is broken or unknown. */
export async function play(
  source: string | undefined,
  flags: PlayFlags,
  host: HostProcess,
): Promise<number> {
  const given = await readTargetFlags(flags, host);
  if (flags.playable === true) {
    if (source !== undefined)
      throw wrongUsage(`--playable chooses the scenarios itself. Leave out ${source}.`);
    const { playPlayable } = await import("./play-playable.ts");
    return exitCodeOf[await playPlayable(flags, given, host)];
  }
  if (source === undefined)
    throw wrongUsage(
      "SCENARIO is missing. Give the name of one that comes with adsim (see: npx adsim scenarios), a file, - for standard input, or --playable.",
    );
  const { target, credentials, knownChoices, overrides, words } = given;
  const chosen = await resolveScenario(source, overrides, host);
  await checkReports(flags.report ?? [], [source]);
  const reproduce = reproduceLine(["play"], chosen, words);
  const { maxRequests } = flags;
  if (target === undefined) {
    const playing = playHere(chosen.scenario, { maxRequests, reproduce }, host);
    const result = await playing.catch((error) => {
      throw errorInSource(chosen, error);
    });
    return tellResult(result, flags, host);
  }
  // Loaded on demand, with the HTTP client.
  const { playAtTarget } = await import("./at-target.ts");
  const assumptions = credentials.length > 0 ? knownChoices : undefined;
  const options = { ...flags, target, credentials, reproduce, assumptions };
  return tellResult(await playAtTarget(chosen, options, host), flags, host);
}
