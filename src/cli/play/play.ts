/** `adsim play SCENARIO`: plays it in this process or at a target, prints the result, and writes reports. */

import { indentedJson } from "../../base/text.ts";
import type { PlayResult, Verdict } from "../../play/player/result.ts";
import { reportText } from "../../play/reports/report-text.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports } from "../output/reports.ts";
import { isColourful, say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { playHere } from "./play-here.ts";
import type { PlayFlags } from "./play-options.ts";
import { reproduceLine, resolveScenario, withSourceErrors } from "./resolve-scenario.ts";
import { readTargetFlags } from "./target-flags.ts";

/** An unknown result mustn't pass either. */
const exitCodeOf: Readonly<Record<Verdict, number>> = {
  held: exitCodes.fine,
  broken: exitCodes.checkFailed,
  unknown: exitCodes.checkFailed,
};

/** @returns 0 if every scenario held, 1 if one is broken or unknown. */
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
  await checkReports(flags.report ?? []);
  const reproduce = reproduceLine(["play"], chosen, words);
  const { maxRequests } = flags;
  if (target === undefined) {
    const result = withSourceErrors(chosen, () =>
      playHere(chosen.scenario, { maxRequests, reproduce }, host),
    );
    return tell(result, flags, host);
  }
  // Loaded on demand, with the HTTP client.
  const { playAtTarget } = await import("./at-target.ts");
  const assumptions = credentials.length > 0 ? knownChoices : undefined;
  const options = { ...flags, target, credentials, reproduce, assumptions };
  return tell(await playAtTarget(chosen, options, host), flags, host);
}

/** Writes the report files first: when the text appears, they exist. */
async function tell(
  result: PlayResult,
  { report = [], json }: PlayFlags,
  { stdout, stderr, env }: HostProcess,
): Promise<number> {
  if (report.length > 0) {
    const { writePlayReports } = await import("./write-reports.ts");
    await writePlayReports(report, result, stderr);
  }
  if (json === true) say(indentedJson(result), stdout);
  const stream = json === true ? stderr : stdout;
  stream.write(reportText(result, { colour: isColourful(stream, env) }));
  if (result.verdict === "unknown") {
    stderr.write(
      "adsim: it is unknown whether the scenario holds; exit code 0 is only for one that held.\n",
    );
  }
  return exitCodeOf[result.verdict];
}
