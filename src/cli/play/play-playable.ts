/** `adsim play --playable`: plays all scenarios that come with adsim and can be played at a service that isn't one. */

import { shippedNames } from "../../adapters/shipped-scenarios.ts";
import { indentedJson } from "../../base/text.ts";
import { plural, readableCount } from "../../play/measure/quantities.ts";
import { resultOf } from "../../play/player/matching.ts";
import type { PlayResult, Result } from "../../play/player/result.ts";
import { resultCounts } from "../../play/reports/lines.ts";
import { reportText } from "../../play/reports/report-text.ts";
import { parseScenario } from "../../play/scenario/parse-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { planAtService, type ServicePlan } from "../../play/targets/service-plan.ts";
import { wrongUsage } from "../output/exit.ts";
import { checkReports } from "../output/reports.ts";
import { isColourful, say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { playAllAtService } from "./at-target.ts";
import { loadShipped } from "./load-scenario.ts";
import type { PlayFlags } from "./play-options.ts";
import { reproduceLine } from "./resolve-scenario.ts";
import type { TargetFlags } from "./target-flags.ts";

/** @returns the result of all together. */
export async function playPlayable(
  flags: PlayFlags,
  given: TargetFlags,
  host: HostProcess,
): Promise<Result> {
  const { report = [], wait, json } = flags;
  if (report.some(({ kind }) => kind === "html"))
    throw wrongUsage("--report html=FILE shows one scenario. With --playable, use junit or json.");
  const all = shippedNames().map(({ name }) => planned(name, flags, given));
  const fitting = all.filter(
    ({ plan }) =>
      plan.impossible.length === 0 &&
      plan.publishers <= given.credentials.length &&
      (wait === true || plan.totalMs <= SHORT_MS),
  );
  // Those that read most come last: they may use up the limit.
  const chosen = fitting.sort((one, other) => one.plan.reads - other.plan.reads);
  await checkReports(report);
  const { stdout, stderr, env } = host;
  const stream = json === true ? stderr : stdout;
  const colour = isColourful(stream, env);
  const results = await playAllAtService(
    chosen.map(({ scenario, reproduce }) => ({ scenario, reproduce })),
    { wait, speed: flags.speed, ...given },
    host,
    (result) => stream.write(shownResult(result, colour)),
  );
  if (report.length > 0) {
    const { writeAllReports } = await import("./write-reports.ts");
    await writeAllReports(report, results, stderr);
  }
  if (json === true) say(indentedJson({ version: 1, results }), stdout);
  const left = all.length - chosen.length;
  stream.write(
    `\n${plural(results.length, "scenario")}: ${resultCounts(results)}. Not played: ${readableCount(left)} others. npx adsim scenarios --playable says what they need.\n`,
  );
  return resultOf(results);
}

/** A scenario that waits longer isn't played unless `--wait` is given. */
const SHORT_MS = 10_000;

interface Planned {
  readonly scenario: Scenario;
  readonly plan: ServicePlan;
  readonly reproduce: string;
}

function planned(
  name: string,
  { speed, maxRequests }: PlayFlags,
  { knownChoices, words }: TargetFlags,
): Planned {
  const scenario = parseScenario(loadShipped(name), { maxRequests });
  return {
    scenario,
    plan: planAtService(scenario, { speed, knownChoices }),
    reproduce: reproduceLine(["play"], { source: name, overrides: {} }, words),
  };
}

/** A line for what held, the whole report for everything else. */
function shownResult(result: PlayResult, colour: boolean): string {
  const text = reportText(result, { colour });
  return result.result === "passed" ? `${text.split("\n", 1)[0]}\n` : `${text}\n`;
}
