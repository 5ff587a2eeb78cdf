/** `adsim export SCENARIO --to TOOL`: writes a scenario's traffic for a load generator, and lists what it leaves out. */

import { adsimLine } from "../../base/shell.ts";
import { simulatorFor, worldOptionsOf } from "../../play/play-scenario.ts";
import { overrideWords } from "../../play/scenario/overrides.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { openServiceTarget } from "../../play/targets/service-target.ts";
import { readTargetUrl } from "../../play/targets/target-url.ts";
import { sendsImpressions } from "../../play/traffic/source.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import type { CommonFlags } from "../options/common-options.ts";
import { wrongUsage } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { type CredentialFlags, type GivenPublisher, givenPublishers } from "../play/credentials.ts";
import { resolveScenario } from "../play/resolve-scenario.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { artillery } from "./artillery.ts";
import { k6 } from "./k6.ts";
import type { Load, LoadTool, PlannedTraffic, Sender } from "./load-tool.ts";
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
  const given = givenPublishers(flags);
  const target = readTargetUrl(flags.target ?? DEFAULT_TARGET).url;
  const { scenario } = await resolveScenario(source, flags, host);
  const { steps, leftOut } = planOf(scenario);
  if (steps.length === 0) {
    throw wrongUsage(`${source} has no traffic step, and nothing else can be exported.`);
  }
  const senders = await sendersOf(steps, { source, scenario, given, target: flags.target });
  const load = tools[flags.to]({
    ...{ name: scenario.name, target, out: flags.out, thresholds: scenario.thresholds ?? [] },
    steps: steps.map((step) => ({
      ...step,
      senders: publishersOf(step).flatMap((one) => senders.get(one) ?? []),
    })),
  });
  await writeLoad(load, source, host);
  const parts = [...leftOut, ...load.leftOut].map((what) => `  ${what}\n`);
  const missing =
    parts.length === 0 ? "" : `adsim: the export leaves out these parts:\n${parts.join("")}`;
  const keys = given.length > 0 ? "" : aboutKeys(scenario);
  say(`${missing}${keys}adsim: run it with: ${load.runLine}\n`, host.stderr);
}

/** `input`: the file of the scenario, which none may replace. @throws CommandFailure for a file that can't be written. */
async function writeLoad(
  { files }: Load,
  input: string,
  { stdout, stderr }: HostProcess,
): Promise<void> {
  for (const { file } of files)
    if (file !== undefined) await checkOut({ option: `--out ${file}`, file }, [input]);
  for (const { file, content } of files) {
    if (file === undefined) say(content, stdout);
    else await writeOut({ option: `--out ${file}`, file, content }, stderr);
  }
}

function aboutKeys(scenario: Scenario): string {
  const { seed, publishers, profile } = resolveOptions(worldOptionsOf(scenario)).settings;
  const world = overrideWords({ seed, publishers, profile });
  return `adsim: the API keys work with: ${adsimLine(["serve", ...world])}\n`;
}

interface Origin {
  readonly source: string;
  readonly scenario: Scenario;
  readonly given: readonly GivenPublisher[];
  /** Undefined if the user named none. */
  readonly target: string | undefined;
}

/** The publishers that send the traffic. @throws CommandFailure if one isn't known, or lacks surfaces for impressions. */
async function sendersOf(
  steps: readonly PlannedTraffic[],
  { source, scenario, given, target }: Origin,
): Promise<ReadonlyMap<number | string, Sender>> {
  const { publishers } = simulatorFor(scenario);
  const needSurfaces = new Set(
    steps.filter(({ traffic }) => sendsImpressions(traffic)).flatMap(publishersOf),
  );
  const senders = new Map<number | string, Sender>();
  for (const ordinal of new Set(steps.flatMap(publishersOf))) {
    const wrong = (why: string): Error => wrongUsage(`${source}: ${why}`);
    if (typeof ordinal !== "number") {
      throw wrong(
        `its traffic is sent by ${ordinal}, which signs up in the scenario. A load generator can only use publishers that exist before it starts; name one by its number.`,
      );
    }
    const found = given.length > 0 ? given[ordinal] : publishers.at(ordinal);
    if (found === undefined) {
      throw wrong(
        `its traffic is sent by publisher ${ordinal} (the first is 0), but you gave only ${given.length}. Give the others with --api-key and --publisher too.`,
      );
    }
    const { id, apiKey } = found;
    let surfaces = found.surfaces.map((one) => (typeof one === "string" ? one : one.id));
    if (needSurfaces.has(ordinal) && surfaces.length === 0) {
      if (given.length > 0 && target !== undefined) surfaces = await askedAt(target, found);
      if (surfaces.length === 0) {
        const advice =
          given.length === 0
            ? "Let another one send the impressions."
            : "Give them with --surface ID, or the service with --target URL, which is then asked.";
        throw wrong(`publisher ${ordinal} (${id}) has no surfaces. ${advice}`);
      }
    }
    senders.set(ordinal, { ordinal, id, apiKey, surfaces });
  }
  return senders;
}

/** The surfaces that the service lists for this publisher, as a play would use them. */
async function askedAt(url: string, { id, apiKey }: Omit<Sender, "ordinal" | "surfaces">) {
  const service = await openServiceTarget(readTargetUrl(url), {
    credentials: [{ id, apiKey }],
  });
  try {
    const member = await service.member(0);
    return (member?.surfaces ?? []).map((surface) => surface.id);
  } finally {
    await service.close();
  }
}

function publishersOf({ traffic }: PlannedTraffic): readonly (number | string)[] {
  return traffic.publishers ?? [0];
}
