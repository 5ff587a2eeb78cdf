/** `adsim export SCENARIO --to TOOL`: writes a scenario's traffic for a load generator, and lists what it leaves out. */

import { adsimLine } from "../../base/shell.ts";
import { simulatorFor, worldOptionsOf } from "../../play/play-scenario.ts";
import { overrideWords } from "../../play/scenario/overrides.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { openServiceTarget } from "../../play/targets/service-target.ts";
import { readTargetUrl } from "../../play/targets/target-url.ts";
import { sendsImpressions } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import type { CommonFlags } from "../options/common-options.ts";
import { wrongUsage } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { type CredentialFlags, givenPublishers } from "../play/credentials.ts";
import { resolveScenario } from "../play/resolve-scenario.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { artillery } from "./artillery.ts";
import { k6 } from "./k6.ts";
import type { ToolName } from "./tool-names.ts";
import { planOf, type Sender } from "./traffic-plan.ts";

export interface ExportFlags extends CommonFlags, CredentialFlags {
  readonly to: ToolName;
  readonly target?: string;
  readonly out?: string;
  readonly maxRequests?: number;
}

const tools = { artillery, k6 };

const DEFAULT_TARGET = "http://127.0.0.1:4010";

/** @throws CommandFailure for a scenario without traffic, and for a file that can't be written. */
export async function exportScenario(
  source: string,
  flags: ExportFlags,
  host: HostProcess,
): Promise<void> {
  const target = readTargetUrl(flags.target ?? DEFAULT_TARGET).url;
  const { scenario } = await resolveScenario(source, flags, host);
  const { steps, leftOut } = planOf(scenario);
  if (steps.length === 0) {
    throw wrongUsage(`${source} has no traffic step, and nothing else can be exported.`);
  }
  const senders = await sendersOf(
    scenario,
    flags,
    steps.map(({ traffic }) => traffic),
  );
  const load = tools[flags.to]({
    ...{ name: scenario.name, target, out: flags.out, thresholds: scenario.thresholds ?? [] },
    steps: steps.map((step) => ({
      ...step,
      senders: publishersOf(step.traffic).flatMap((one) => senders.get(one) ?? []),
    })),
  });
  const outputs = load.files.map(({ file, content }) => ({
    option: `--out ${file}`,
    file,
    content,
  }));
  for (const { option, file } of outputs) {
    if (file !== undefined) await checkOut({ option, file }, [source]);
  }
  for (const { option, file, content } of outputs) {
    if (file === undefined) say(content, host.stdout);
    else await writeOut({ option, file, content }, host.stderr);
  }
  const parts = [...leftOut, ...load.leftOut].map((what) => `  ${what}\n`);
  const missing =
    parts.length === 0 ? [] : ["adsim: the export leaves out these parts:\n", ...parts];
  const keys = givenPublishers(flags).length > 0 ? "" : aboutKeys(scenario);
  say(`${missing.join("")}${keys}adsim: run it with: ${load.runLine}\n`, host.stderr);
}

function aboutKeys(scenario: Scenario): string {
  const { seed, publishers, profile } = resolveOptions(worldOptionsOf(scenario)).settings;
  const world = overrideWords({ seed, publishers, profile });
  return `adsim: the API keys work with: ${adsimLine(["serve", ...world])}\n`;
}

/** The publishers that send the traffic. @throws CommandFailure if one isn't known, or lacks surfaces for impressions. */
async function sendersOf(
  scenario: Scenario,
  flags: ExportFlags,
  all: readonly Traffic[],
): Promise<ReadonlyMap<number | string, Sender>> {
  const given = givenPublishers(flags);
  const { publishers } = simulatorFor(scenario);
  const needSurfaces = new Set(all.filter(sendsImpressions).flatMap(publishersOf));
  const senders = new Map<number | string, Sender>();
  for (const ordinal of new Set(all.flatMap(publishersOf))) {
    if (typeof ordinal !== "number") {
      throw wrongUsage(
        `The traffic of ${scenario.name} is sent by ${ordinal}, which signs up in the scenario. Name a publisher that exists before it starts, by its number.`,
      );
    }
    const found = given.length > 0 ? given[ordinal] : publishers.at(ordinal);
    if (found === undefined) {
      throw wrongUsage(
        `The traffic of ${scenario.name} is sent by publisher ${ordinal} (the first is 0), but you gave only ${given.length}. Give the others with --api-key and --publisher too.`,
      );
    }
    const { id, apiKey } = found;
    let surfaces = found.surfaces.map((one) => (typeof one === "string" ? one : one.id));
    if (needSurfaces.has(ordinal) && surfaces.length === 0) {
      if (given.length > 0 && flags.target !== undefined) {
        surfaces = await askedAt(flags.target, { id, apiKey });
      }
      if (surfaces.length === 0) {
        throw wrongUsage(
          `Publisher ${ordinal} (${id}) has no surfaces. Give them with --surface ID, or the service with --target URL, which is then asked.`,
        );
      }
    }
    senders.set(ordinal, { ordinal, id, apiKey, surfaces });
  }
  return senders;
}

/** The surfaces that the service lists for this publisher, as a play would use them. */
async function askedAt(url: string, credentials: Pick<Sender, "id" | "apiKey">) {
  const service = await openServiceTarget(readTargetUrl(url), { credentials: [credentials] });
  try {
    const member = await service.member(0);
    return (member?.surfaces ?? []).map(({ id }) => id);
  } finally {
    await service.close();
  }
}

function publishersOf({ publishers = [0] }: Traffic): readonly (number | string)[] {
  return publishers;
}
