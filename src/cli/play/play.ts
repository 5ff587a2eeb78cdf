/** `adsim play SCENARIO`: plays it in this process or at a target, prints the result, and writes reports. */

import { indentedJson } from "../../base/text.ts";
import { overrideWords } from "../../play/language/overrides.ts";
import type { PlayResult, Verdict } from "../../play/player/result.ts";
import { reportText } from "../../play/reports/report-text.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { isTokenGiven } from "../options/common-options.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports } from "../output/reports.ts";
import { isColourful, say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { type GivenPublisher, givenPublishers, publisherWords } from "./credentials.ts";
import { playHere } from "./play-here.ts";
import type { PlayFlags } from "./play-options.ts";
import { reproduceLine, resolveScenario, withSourceErrors } from "./resolve-scenario.ts";

/** An unknown result mustn't pass either. */
const exitCodeOf: Readonly<Record<Verdict, number>> = {
  held: exitCodes.fine,
  broken: exitCodes.checkFailed,
  unknown: exitCodes.checkFailed,
};

/** @returns 0 if the scenario held, 1 if it is broken or unknown. */
export async function play(source: string, flags: PlayFlags, host: HostProcess): Promise<number> {
  const credentials = givenPublishers(flags);
  refuseWrongUsage(flags, credentials, host);
  const isService = credentials.length > 0;
  // The scenario's assumptions can't be changed there. What is given is what the service chooses.
  const known = isService ? (await readAssumptionFlags(flags)).chosen : {};
  const chosen = await resolveScenario(source, isService ? withoutAssumptions(flags) : flags, host);
  await checkReports(flags.report ?? []);
  const words = [
    ...overrideWords({ assumptions: known }),
    ...targetWords(flags, credentials, host),
  ];
  const reproduce = reproduceLine(["play"], chosen, words);
  const { target, maxRequests } = flags;
  if (target === undefined) {
    const result = withSourceErrors(chosen, () =>
      playHere(chosen.scenario, { maxRequests, reproduce }, host),
    );
    return tell(result, flags, host);
  }
  // Loaded on demand, with the HTTP client.
  const { playAtTarget } = await import("./at-target.ts");
  const options = {
    ...flags,
    target,
    credentials,
    reproduce,
    assumptions: isService ? known : undefined,
  };
  return tell(await playAtTarget(chosen, options, host), flags, host);
}

function withoutAssumptions({ assume: _, assumptions: __, ...flags }: PlayFlags): PlayFlags {
  return flags;
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

function targetWords(
  flags: PlayFlags,
  credentials: readonly GivenPublisher[],
  host: HostProcess,
): readonly string[] {
  const { target, speed, maxRequests, runId, wait } = flags;
  return [
    ...(target === undefined ? [] : ["--target", target]),
    ...(speed === undefined ? [] : ["--speed", String(speed)]),
    ...publisherWords(credentials),
    ...(isTokenGiven(flags, host) ? ["--control-token", "…"] : []),
    ...(runId === undefined ? [] : ["--run-id", runId]),
    ...(wait === true ? ["--wait"] : []),
    ...(maxRequests === undefined ? [] : ["--max-requests", String(maxRequests)]),
  ];
}

function refuseWrongUsage(
  flags: PlayFlags,
  credentials: readonly GivenPublisher[],
  host: HostProcess,
): void {
  if (flags.target !== undefined) return;
  const needing = {
    "--speed": flags.speed !== undefined,
    "--api-key, --publisher and --surface": credentials.length > 0,
    "--control-token": isTokenGiven(flags, host),
    "--run-id": flags.runId !== undefined,
    "--wait": flags.wait === true,
  };
  const given = Object.entries(needing).find(([, isGiven]) => isGiven)?.[0];
  if (given === undefined) return;
  throw wrongUsage(
    `${given} needs --target: a play in this process never waits and needs no keys.`,
  );
}
