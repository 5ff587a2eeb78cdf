/** The end of a play of several scenarios: what went wrong by cause, and what wasn't looked at. */

import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { printable, shortened } from "../../base/text.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { resultCounts } from "../../play/reports/lines.ts";
import { planAtService } from "../../play/targets/service-plan.ts";
import type { ResolvedScenario } from "./resolve-scenario.ts";
import type { TargetGiven } from "./target.ts";

const MAX_COLUMNS = 200;
/** More names are only counted. */
const MAX_NAMED = 3;

interface Cause {
  /** What was checked: the same in every scenario in which it is the same cause. */
  readonly about: string;
  readonly scenario: string;
  readonly example: string;
}

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

/** Each cause once. An undecided play that has no failed check has its reason. */
function causesOf(result: PlayResult): readonly Cause[] {
  if (result.result === "passed") return [];
  const scenario = result.scenario.name;
  const { invariants, steps, thresholds } = result;
  const isFailed = (one: { readonly result: string }): boolean => one.result === "failed";
  const causes = [
    ...invariants.filter(isFailed).map(({ id, why = "" }) => ({ about: id, example: why })),
    ...steps
      .flatMap(({ checks }) => checks.filter(isFailed))
      .map(({ invariant, about, expected, found }) => ({
        about: invariant ?? about,
        example: `expected ${expected}, found ${found}`,
      })),
    ...thresholds
      .filter(isFailed)
      .map(({ threshold, found }) => ({ about: threshold, example: `found ${found}` })),
  ];
  const all = causes.length > 0 ? causes : [{ about: result.result, example: result.why }];
  return [...new Map(all.toReversed().map((cause) => [cause.about, cause])).values()]
    .toReversed()
    .map((cause) => ({ ...cause, scenario }));
}

/** What it takes to play those that weren't played, each need said once. */
export function notPlayedLines(
  left: readonly ResolvedScenario[],
  { credentials, knownChoices }: TargetGiven,
  speed: number | undefined,
): readonly string[] {
  const needs = left.map(({ scenario }) => ({
    scenario: scenario.name,
    need: needOf(planAtService(scenario, { knownChoices, speed }), credentials.length),
  }));
  const groups = groupedBy(needs, ({ need }) => need);
  return [
    ...(left.length === 0 ? [] : [`Not played: ${plural(left.length, "scenario")}.`]),
    ...Array.from(groups, ([need, same]) => {
      const plays = need.startsWith("-") ? ` plays ${same.length} more` : `: ${same.length}`;
      return `  ${need}${plays} (${named(same)})`;
    }),
  ];
}

function needOf(plan: ReturnType<typeof planAtService>, publishers: number): string {
  const choices = plan.impossible.filter((need) => /^[\w.-]+=/.test(need));
  if (choices.length < plan.impossible.length) return "what only an adsim has";
  if (choices.length > 0) return choices.map((choice) => `--assume ${choice}`).join(" ");
  if (plan.publishers > publishers) {
    return `--api-key and --publisher of ${plan.publishers} publishers`;
  }
  return `--wait for ${readableDuration(plan.totalMs)}`;
}

function named(all: readonly { readonly scenario: string }[]): string {
  const names = all.map(({ scenario }) => scenario);
  const more = names.length - MAX_NAMED;
  return more <= 1 ? formatList(names) : `${names.slice(0, MAX_NAMED).join(", ")} and ${more} more`;
}
