/** `adsim export SCENARIO --to TOOL`: writes a scenario's traffic for a load generator, and lists what it leaves out. */

import { adsimLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import type { PublisherRef, Scenario } from "../../play/language/scenario.ts";
import { simulatorFor } from "../../play/player/play-in-process.ts";
import { readTargetUrl } from "../../play/targets/target-url.ts";
import type { CommonFlags } from "../options/common-options.ts";
import { type CommandFailure, wrongUsage } from "../output/exit.ts";
import { writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { type CredentialFlags, type GivenPublisher, givenPublishers } from "../play/credentials.ts";
import { type ResolvedScenario, resolveScenario } from "../play/resolve-scenario.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { artilleryScript, type PlannedTraffic, type Sender } from "./artillery.ts";
import { planOf } from "./traffic-plan.ts";

export interface ExportFlags extends CommonFlags, CredentialFlags {
  readonly to: "artillery";
  readonly target?: string;
  readonly out?: string;
}

const DEFAULT_TARGET = "http://127.0.0.1:4010";

/** @throws CommandFailure for a scenario without traffic, and for a file that can't be written. */
export async function exportScenario(
  source: string,
  flags: ExportFlags,
  host: HostProcess,
): Promise<void> {
  const { out } = flags;
  const given = givenPublishers(flags);
  const target = readTargetUrl(flags.target ?? DEFAULT_TARGET).url;
  const chosen = await resolveScenario(source, flags, host);
  const { trafficSteps, leftOut } = planOf(chosen.scenario);
  if (trafficSteps.length === 0) {
    throw wrongUsage(`${source} has no traffic step, and a load script can have nothing else.`);
  }
  const senders = sendersIn(chosen, given);
  const planned = trafficSteps.map(
    ({ traffic, startMs }): PlannedTraffic => ({
      traffic,
      startMs,
      senders: (traffic.publishers ?? [0]).map((publisherRef) => senders(publisherRef)),
    }),
  );
  const script = indentedJson(artilleryScript(planned, target));
  if (out === undefined) say(script, host.stdout);
  else await writeOut({ option: `--out ${out}`, file: out, text: script }, host.stderr);
  say(aboutScript(leftOut, chosen.scenario, given.length > 0), host.stderr);
}

/** What the script leaves out, and whose keys it has unless they were given. */
function aboutScript(leftOut: readonly string[], scenario: Scenario, isForeign: boolean): string {
  const { seed = "adsim", publishers = 25, profile = "typical" } = scenario;
  const lines = leftOut.map((what) => `  ${what}\n`);
  const missing =
    lines.length === 0
      ? ""
      : `adsim: the script leaves out these parts of the scenario:\n${lines.join("")}`;
  if (isForeign) return missing;
  const world = ["--seed", seed, "--publishers", String(publishers), "--profile", profile];
  return `${missing}adsim: the script's API keys work with: ${adsimLine(["serve", ...world])}\n`;
}

/** Finds a sender by the scenario's reference to it. */
function sendersIn(
  { source, scenario }: ResolvedScenario,
  given: readonly GivenPublisher[],
): (publisherRef: PublisherRef) => Sender {
  const { publishers } = simulatorFor(scenario);
  const wrong = (why: string): CommandFailure => wrongUsage(`${source}: ${why}`);
  return (publisherRef) => {
    if (typeof publisherRef !== "number") {
      throw wrong(
        `its traffic is sent by ${publisherRef}, which signs up in the scenario. A script can only use publishers that exist before it starts; name one by its number.`,
      );
    }
    if (given.length === 0) {
      const { id, apiKey, surfaces } = publishers.at(publisherRef);
      return { ordinal: publisherRef, id, apiKey, surfaces: surfaces.map((surface) => surface.id) };
    }
    const sender = given[publisherRef];
    if (sender === undefined) {
      throw wrong(
        `its traffic is sent by publisher ${publisherRef} (the first is 0), but you gave only ${given.length}. Give the others with --api-key and --publisher too.`,
      );
    }
    if (sender.surfaces.length === 0) {
      throw wrong(
        `publisher ${publisherRef} (${sender.id}) has no surfaces. Give them with --surface ID.`,
      );
    }
    return { ordinal: publisherRef, ...sender };
  };
}
