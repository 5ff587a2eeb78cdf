/** `adsim export SCENARIO --to TOOL`: writes a scenario's traffic for a load generator, and lists what it leaves out. */

import { formatList } from "../../base/did-you-mean.ts";
import { adsimLine, commandLine } from "../../base/shell.ts";
import { simulatorFor, worldOptionsOf } from "../../play/play-scenario.ts";
import { overrideWords } from "../../play/scenario/parse-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { openServiceTarget } from "../../play/targets/service-target.ts";
import { readTargetUrl, type ServiceCredentials } from "../../play/targets/target.ts";
import { sendsImpressions } from "../../play/traffic/source.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { type exportOptions, givenPublishers } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { wrongUsage } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import { resolveScenario } from "../play/load-scenario.ts";
import { artillery } from "./artillery.ts";
import { k6 } from "./k6.ts";
import { type PlannedTraffic, planOf, type Sender } from "./traffic-plan.ts";

type ExportFlags = FlagsOf<typeof exportOptions>;

const tools = {
  artillery: { scriptOf: artillery, run: ["npx", "artillery", "run"] },
  k6: { scriptOf: k6, run: ["k6", "run", "-e", "RUN_ID=1"] },
} satisfies Record<ExportFlags["to"], unknown>;

/** @throws CommandFailure for a scenario without traffic, and for a file that can't be written. */
export async function exportScenario({ words, flags, host }: Call<ExportFlags>): Promise<void> {
  const [source = ""] = words;
  const { out: file } = flags;
  const target = readTargetUrl(flags.target ?? "http://127.0.0.1:4010").url;
  if (file !== undefined) await checkOut({ option: `--out ${file}`, file }, source);
  const { scenario } = await resolveScenario(source, flags, host);
  const { steps, leftOut } = planOf(scenario);
  if (steps.length === 0) {
    throw wrongUsage(`${source} has no traffic step, and nothing else can be exported.`);
  }
  const { scriptOf, run } = tools[flags.to];
  const senders = await sendersOf(scenario, steps, flags);
  const loads = steps.map((step) => ({
    ...step,
    senders: step.publishers.flatMap((one) => senders.get(one) ?? []),
  }));
  const content = scriptOf({ name: scenario.name, target, steps: loads });
  if (file === undefined) say(content, host.stdout);
  else await writeOut({ option: `--out ${file}`, file, content }, host.stderr);
  if (leftOut.length > 0) {
    say(`adsim: the export leaves these parts out: ${formatList(leftOut)}\n`, host.stderr);
  }
  if (givenPublishers(flags.publisher).length === 0) say(aboutKeys(scenario), host.stderr);
  say(`adsim: run it with: ${commandLine([...run, file ?? "FILE"])}\n`, host.stderr);
}

function aboutKeys(scenario: Scenario): string {
  const { seed, publishers, profile } = resolveOptions(worldOptionsOf(scenario)).settings;
  const world = overrideWords({ seed, publishers, profile });
  return `adsim: the API keys work with: ${adsimLine(["serve", ...world])}\n`;
}

/** The publishers that send the traffic. @throws CommandFailure if one isn't known, or lacks surfaces for impressions. */
async function sendersOf(
  scenario: Scenario,
  steps: readonly PlannedTraffic[],
  flags: ExportFlags,
): Promise<ReadonlyMap<number | string, Sender>> {
  const needSurfaces = steps.some(({ traffic }) => sendsImpressions(traffic));
  const given = givenPublishers(flags.publisher);
  const { publishers } = simulatorFor(scenario);
  const senders = new Map<number | string, Sender>();
  for (const ordinal of new Set(steps.flatMap((step) => step.publishers))) {
    const isOwn = given.length === 0 && typeof ordinal === "number";
    const found = isOwn ? publishers.at(ordinal) : given[Number(ordinal)];
    if (found === undefined) {
      throw wrongUsage(
        `Publisher ${ordinal} sends traffic in ${scenario.name}, but isn't known. Name publishers that exist before the scenario starts, by numbers from 0. With --api-key and --publisher, give each of them.`,
      );
    }
    const { id, apiKey } = found;
    const known = found.surfaces.map((one) => (typeof one === "string" ? one : one.id));
    const isAsked = known.length === 0 && needSurfaces;
    const surfaces = isAsked ? await surfacesAt(flags.target, { id, apiKey }) : known;
    senders.set(ordinal, { ordinal: Number(ordinal), id, apiKey, surfaces });
  }
  return senders;
}

/** The surfaces that the service lists for this publisher, as a play would use them. */
async function surfacesAt(
  target: string | undefined,
  publisher: ServiceCredentials,
): Promise<readonly string[]> {
  if (target !== undefined) {
    const service = await openServiceTarget(readTargetUrl(target), { credentials: [publisher] });
    try {
      const { surfaces = [] } = (await service.member(0)) ?? {};
      if (surfaces.length > 0) return surfaces.map(({ id }) => id);
    } finally {
      await service.close();
    }
  }
  throw wrongUsage(
    `Publisher ${publisher.id} has no surfaces. Give them with --surface ID, or the service with --target URL, which is then asked.`,
  );
}
