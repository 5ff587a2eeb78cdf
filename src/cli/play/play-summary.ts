/** The end of a play of several scenarios: what went wrong by cause, and what wasn't looked at. */

import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { printable, shortened } from "../../base/text.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { resultCounts } from "../../play/reports/lines.ts";
import type { ServicePlan } from "../../play/targets/service-plan.ts";
import type { ResolvedScenario } from "./load-scenario.ts";

const MAX_COLUMNS = 200;

/** How many passed, and what the others have in common, the most frequent first. */
export function summaryLines(results: readonly PlayResult[]): readonly string[] {
  const causes = groupedBy(results.flatMap(causesOf), ({ about }) => about);
  const byCount = [...causes.values()].sort((one, other) => other.length - one.length);
  const counts = results.length === 0 ? "" : `: ${resultCounts(results)}`;
  return [
    `${plural(results.length, "scenario")}${counts}.`,
    ...byCount.map((same) => {
      const where = `${plural(same.length, "scenario")} (${named(same)})`;
      const line = `  ${same[0].about} in ${where}: ${same[0].example}`;
      return shortened(printable(line), MAX_COLUMNS);
    }),
  ];
}

/** Each cause once, by what was checked. An undecided play that has no failed check has its reason. */
function causesOf(play: PlayResult) {
  if (play.result === "passed") return [];
  const scenario = play.scenario.name;
  const checks = play.steps.flatMap((step) => step.checks);
  const failed = [
    ...play.invariants.map(({ id, result, why = "" }) => ({ about: id, result, example: why })),
    ...checks.map(({ invariant, about, result, expected, found }) => {
      return { about: invariant ?? about, result, example: `expected ${expected}, found ${found}` };
    }),
    ...play.thresholds.map(({ threshold, result, found }) => {
      return { about: threshold, result, example: `found ${found}` };
    }),
  ].filter(({ result }) => result === "failed");
  const { result, why } = play;
  if (failed.length === 0) return [{ about: why, result, example: String(result), scenario }];
  return Array.from(groupedBy(failed, ({ about }) => about).values(), ([first]) => {
    return { ...first, scenario };
  });
}

/** A scenario, and what it takes to play it at a service. */
export interface Planned extends ResolvedScenario {
  readonly plan: ServicePlan;
}

/** What it takes to play those that weren't played, each need said once. `publishers`: how many were given. */
export function notPlayedLines(left: readonly Planned[], publishers: number): readonly string[] {
  if (left.length === 0) return [];
  const needs = left.map(({ scenario, plan }) => {
    return { scenario: scenario.name, need: needOf(plan, publishers) };
  });
  const groups = groupedBy(needs, ({ need }) => need);
  return [
    `Not played: ${plural(left.length, "scenario")}.`,
    ...Array.from(groups, ([need, same]) => {
      const plays = need.startsWith("-") ? ` plays ${same.length} more` : `: ${same.length}`;
      return `  ${need}${plays} (${named(same)})`;
    }),
  ];
}

function needOf({ impossible, choices, publishers, totalMs }: ServicePlan, given: number): string {
  if (impossible.length > 0) return "what only an adsim has";
  if (choices.length > 0) return choices.map((choice) => `--assume ${choice}`).join(" ");
  if (publishers > given) return `--api-key and --publisher of ${publishers} publishers`;
  return `--wait for ${readableDuration(totalMs)}`;
}

function named(all: readonly { readonly scenario: string }[]): string {
  return formatList(all.map(({ scenario }) => scenario));
}
