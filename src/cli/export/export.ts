/** `adsim export SCENARIO --to TOOL`: writes a scenario's traffic for a load generator, and lists what it leaves out. */

import { underName } from "../../base/input.ts";
import { adsimLine } from "../../base/shell.ts";
import { simulatorFor, worldOf } from "../../play/player/play-in-process.ts";
import { overrideWords } from "../../play/scenario/overrides.ts";
import type { PublisherRef } from "../../play/scenario/types.ts";
import { readTargetUrl } from "../../play/targets/target-url.ts";
import { wireRequestOf } from "../../play/targets/wire-request.ts";
import { sendsImpressions } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { buildRequest } from "../../spec/build-request.ts";
import type { WorldSettings } from "../../world/publishers/world-settings.ts";
import type { CommonFlags } from "../options/common-options.ts";
import { type CommandFailure, wrongUsage } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { type CredentialFlags, type GivenPublisher, givenPublishers } from "../play/credentials.ts";
import { type ResolvedScenario, resolveScenario } from "../play/resolve-scenario.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { artillery } from "./artillery.ts";
import { k6 } from "./k6.ts";
import type { LoadFile, LoadTool, Sender } from "./load-tool.ts";
import type { ToolName } from "./tool-names.ts";
import { planOf } from "./traffic-plan.ts";

export interface ExportFlags extends CommonFlags, CredentialFlags {
  readonly to: ToolName;
  readonly target?: string;
  readonly out?: string;
  readonly maxRequests?: number;
}

const tools: Readonly<Record<ToolName, LoadTool>> = { artillery, k6 };

const DEFAULT_TARGET = "http://127.0.0.1:4010";

/** @throws CommandFailure for a scenario without traffic, and for a file that can't be written. */
export async function exportScenario(
  source: string,
  flags: ExportFlags,
  host: HostProcess,
): Promise<void> {
  const { out } = flags;
  const { limits, load } = tools[flags.to];
  const given = givenPublishers(flags);
  given.forEach(checkKey);
  const target = readTargetUrl(flags.target ?? DEFAULT_TARGET).url;
  const chosen = await resolveScenario(source, flags, host);
  const { scenario } = chosen;
  const { settings } = resolveOptions(worldOf(scenario));
  const { trafficSteps, leftOut } = planOf(scenario, limits);
  if (trafficSteps.length === 0) {
    throw wrongUsage(`${source} has no traffic step, and nothing else can be exported.`);
  }
  const senders = sendersIn(chosen, given);
  const made = load({
    ...{ scenario: scenario.name, seed: settings.seed, target, out },
    thresholds: scenario.thresholds ?? [],
    steps: trafficSteps.map((step) => ({ ...step, senders: senders(step.traffic) })),
  });
  await writeLoad(made.files, source, host);
  const parts = [...leftOut, ...(made.leftOut ?? [])].map((what) => `  ${what}\n`);
  const missing =
    parts.length === 0 ? "" : `adsim: the export leaves out these parts:\n${parts.join("")}`;
  const keys = given.length > 0 ? "" : aboutKeys(settings);
  say(`${missing}${keys}adsim: run it with: ${made.runLine}\n`, host.stderr);
}

/** `input`: the file of the scenario, which none may replace. @throws CommandFailure for a file that can't be written. */
async function writeLoad(
  files: readonly LoadFile[],
  input: string,
  { stdout, stderr }: HostProcess,
): Promise<void> {
  const outputs = files.map(({ file, content }) => ({ file, content, option: `--out ${file}` }));
  for (const { file, option } of outputs)
    if (file !== undefined) await checkOut({ option, file }, [input]);
  for (const { file, option, content } of outputs) {
    if (file === undefined) say(content, stdout);
    else await writeOut({ option, file, content }, stderr);
  }
}

/** @throws InputError for a key that HTTP can't carry. */
function checkKey({ id, apiKey }: GivenPublisher): void {
  const request = buildRequest("surfaces", { publisher_id: id }, { key: apiKey });
  underName("api-key", () => wireRequestOf("", request));
}

function aboutKeys({ seed, publishers, profile }: WorldSettings): string {
  const world = overrideWords({ seed, publishers, profile });
  return `adsim: the API keys work with: ${adsimLine(["serve", ...world])}\n`;
}

/** Finds the senders of a traffic step. */
function sendersIn(
  { source, scenario }: ResolvedScenario,
  given: readonly GivenPublisher[],
): (traffic: Traffic) => readonly Sender[] {
  const { publishers } = simulatorFor(scenario);
  const wrong = (why: string): CommandFailure => wrongUsage(`${source}: ${why}`);

  function senderOf(publisherRef: PublisherRef): Sender {
    if (typeof publisherRef !== "number") {
      throw wrong(
        `its traffic is sent by ${publisherRef}, which signs up in the scenario. A load generator can only use publishers that exist before it starts; name one by its number.`,
      );
    }
    if (given.length === 0) {
      const { id, apiKey, surfaces } = publishers.at(publisherRef);
      return { ordinal: publisherRef, id, apiKey, surfaces: surfaces.map((surface) => surface.id) };
    }
    const sender = given[publisherRef];
    if (sender !== undefined) return { ordinal: publisherRef, ...sender };
    throw wrong(
      `its traffic is sent by publisher ${publisherRef} (the first is 0), but you gave only ${given.length}. Give the others with --api-key and --publisher too.`,
    );
  }
  return (traffic) =>
    (traffic.publishers ?? [0]).map((publisherRef) => {
      const sender = senderOf(publisherRef);
      if (sender.surfaces.length > 0 || !sendsImpressions(traffic)) return sender;
      const advice =
        given.length > 0 ? "Give them with --surface ID." : "Let another one send the impressions.";
      throw wrong(`publisher ${publisherRef} (${sender.id}) has no surfaces. ${advice}`);
    });
}
