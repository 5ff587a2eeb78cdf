/**
 * `adsim play SCENARIO...`: plays in this process or at a target, prints the results, and writes reports. After several scenarios it
 * says what went wrong by cause, and what wasn't looked at.
 */

import { constants } from "node:os";
import { formatList } from "../../base/did-you-mean.ts";
import { MINUTE_MS } from "../../base/duration.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { InputError } from "../../base/input.ts";
import { adsimLine } from "../../base/shell.ts";
import { indentedJson, printable, shortened } from "../../base/text.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import { type PlayScenarioOptions, playScenarios } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { resultCounts } from "../../play/reports/lines.ts";
import { playText } from "../../play/reports/play-text.ts";
import { reportHtml } from "../../play/reports/report-html.ts";
import { reportJunit } from "../../play/reports/report-junit.ts";
import { countRequests, MAX_RECORDED_STEPS } from "../../play/scenario/parse-scenario.ts";
import { planAtService, type ServicePlan } from "../../play/targets/service-plan.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { givenPublishers, type playOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { isColourful, say, sayWait } from "../output/say.ts";
import { onEndingSignals } from "../processes/host-process.ts";
import {
  errorInSource,
  type ResolvedScenario,
  resolveScenario,
  sourcesOf,
} from "./load-scenario.ts";

type PlayFlags = FlagsOf<typeof playOptions>;

/** @returns 0 if every scenario passed; 1 if one failed or is undecided. */
export async function play(call: Call<PlayFlags>): Promise<number> {
  const { words, flags, host } = call;
  const { report = [], json, target, speed } = flags;
  const given = givenPublishers(flags.publisher);
  const credentials = given.length > 0 ? given : undefined;
  if (credentials !== undefined && target === undefined)
    throw wrongUsage("--api-key needs --target.");
  // Such a service makes its own choices: the flags say which. Anywhere else they override the scenario's.
  const { assume: _, assumptions: __, ...settings } = flags;
  // readAssumptionFlags has checked them.
  const knownChoices = credentials && ((await readAssumptionFlags(flags)).chosen as Choices);
  const all: Planned[] = [];
  for (const source of words.flatMap(sourcesOf)) {
    const one = await resolveScenario(source, credentials ? settings : flags, host);
    all.push({ ...one, plan: planAtService(one.scenario, { speed, knownChoices }) });
  }
  const isOne = all.length === 1;
  if (!isOne && report.some(({ kind }) => kind === "html")) {
    throw wrongUsage("--report html=FILE shows one scenario. For several, use junit or json.");
  }
  await checkReports(report);
  const chosen = credentials ? playableAt(all, given.length, knownChoices, flags) : all;
  const stream = json === true ? host.stderr : host.stdout;
  const colour = isColourful(stream, host.env);
  const { runId, maxRequests } = flags;
  const options = {
    ...{ target, speed, runId, maxRequests, credentials, assumptions: knownChoices },
    // The variable may be set, where a play in this process needs no token.
    controlToken: target && flags.controlToken,
    // Of several, those that need it were left out.
    wait: flags.wait ?? ((credentials && chosen.length > 1) || undefined),
  };
  const results = await playAll(chosen, options, call, (result) => {
    const text = playText(result, { colour });
    if (isOne) return;
    // A line for what passed, the whole report for everything else.
    stream.write(result.result === "passed" ? `${text.split("\n", 1)[0]}\n` : `${text}\n`);
  });
  const [only] = results;
  const asJson = indentedJson(isOne ? only : { version: 1, results });
  const files = {
    json: () => asJson,
    junit: () => reportJunit(...results),
    html: () => (only === undefined ? "" : reportHtml(only)),
  };
  // The files come first: when the text appears, they exist.
  await writeReports(report, files, host.stderr);
  if (json === true) say(asJson, host.stdout);
  if (isOne && only !== undefined) stream.write(playText(only, { colour }));
  else {
    const left = all.filter((one) => !chosen.includes(one));
    const lines = [...summaryLines(results), ...notPlayedLines(left, given.length)];
    say(`\n${lines.join("\n")}\n`, stream);
  }
  // Where none could be played, nothing was checked.
  const hasPassed = results.length > 0 && results.every(({ result }) => result === "passed");
  return hasPassed ? exitCodes.fine : exitCodes.checkFailed;
}

/** One is played as far as possible. Of several, those that can be played whole; those that read most come last: they may use up the limit. */
function playableAt(
  all: readonly Planned[],
  publishersGiven: number,
  knownChoices: Choices | undefined,
  { speed, wait }: PlayFlags,
): readonly Planned[] {
  const [only] = all;
  if (only !== undefined && all.length === 1) {
    const { name, about, steps } = only.scenario;
    const first = { name, about, steps: steps.slice(0, 1) };
    const { impossible } = planAtService(first, { speed, knownChoices });
    if (impossible.length === 0) return all;
    throw wrongUsage(
      `${only.source} can't be played at this service: its first step needs ${impossible.join(" and ")}, which only an adsim has. See: npx adsim scenarios.`,
    );
  }
  const playable = all.filter(
    ({ plan: { impossible, choices, publishers, totalMs } }) =>
      impossible.length + choices.length === 0 &&
      publishers <= publishersGiven &&
      (wait === true || totalMs <= MINUTE_MS),
  );
  return playable.toSorted((one, other) => one.plan.reads - other.plan.reads);
}

/** As many take a minute or longer. */
const MANY_REQUESTS = 5_000_000;
/** Shorter waits aren't worth a word. */
const SHORT_MS = 3000;

/** Plays one after the other, until the end or a signal. */
async function playAll(
  chosen: readonly Planned[],
  options: PlayScenarioOptions,
  { host, flags, given }: Call<PlayFlags>,
  tell: (result: PlayResult) => void,
): Promise<readonly PlayResult[]> {
  const ending = new AbortController();
  const stopListening = onEndingSignals(host, (signal) => ending.abort(signal));
  const names = Object.keys(flags).filter((name) => name !== "json" && name !== "report");
  const note = (line: string): void => void host.stderr.write(`adsim: ${line}\n`);
  const requests = chosen.reduce((sum, { scenario }) => sum + countRequests(scenario), 0);
  const waitsMs = chosen.reduce((sum, { plan }) => sum + plan.totalMs, 0);
  if (options.credentials === undefined) {
    if (requests > MANY_REQUESTS)
      note(`plays ${plural(requests, "request")}: that takes a minute or more`);
  } else if (waitsMs >= SHORT_MS && (options.wait || waitsMs <= MINUTE_MS)) {
    note(`waits for ${readableDuration(waitsMs)} in all: time is real there`);
  }
  const results: PlayResult[] = [];
  try {
    const playing = playScenarios(
      chosen.map(({ scenario }) => scenario),
      {
        ...options,
        maxSteps: MAX_RECORDED_STEPS,
        signal: ending.signal,
        onWait: (ms) => sayWait(ms, host.stderr),
      },
    );
    for await (const result of playing) {
      const { source = "" } = chosen[results.length] ?? {};
      // A line for a POSIX shell. The file behind standard input isn't known.
      const line = adsimLine(["play", source, ...given(names)]);
      const shown = { ...result, reproduce: source === "-" ? `${line} < FILE` : line };
      results.push(shown);
      tell(shown);
    }
    return results;
  } catch (error) {
    const playing = chosen[results.length];
    const isScenarios = error instanceof InputError && !Object.hasOwn(flags, error.field);
    if (!ending.signal.aborted)
      throw playing !== undefined && isScenarios ? errorInSource(playing, error) : error;
    const signal: NodeJS.Signals = ending.signal.reason;
    note(`${signal}, stopped before the scenario's end: there is no result`);
    // Exits at once: the play may be waiting for hours. Its connections are closed already.
    return host.exit(128 + constants.signals[signal]);
  } finally {
    stopListening();
  }
}

const MAX_COLUMNS = 200;

/** How many passed, and what the others have in common, the most frequent first. */
function summaryLines(results: readonly PlayResult[]): readonly string[] {
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
interface Planned extends ResolvedScenario {
  readonly plan: ServicePlan;
}

/** What it takes to play those that weren't played, each need said once. `publishers`: how many were given. */
function notPlayedLines(left: readonly Planned[], publishers: number): readonly string[] {
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
  const needs = choices.map((choice) => `--assume ${choice}`);
  if (publishers > given) needs.push(`--api-key and --publisher of ${publishers} publishers`);
  return needs.length > 0 ? needs.join(" ") : `--wait for ${readableDuration(totalMs)}`;
}

function named(all: readonly { readonly scenario: string }[]): string {
  const names = all.map(({ scenario }) => scenario);
  return formatList(names.length < 4 ? names : [...names.slice(0, 2), `${names.length - 2} more`]);
}
