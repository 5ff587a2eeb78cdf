/** `adsim play SCENARIO...`: plays in this process or at a target, prints the results, and writes reports. */

import { constants } from "node:os";
import { MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { adsimLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import { type PlayScenarioOptions, playScenarios } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { playText } from "../../play/reports/play-text.ts";
import { reportHtml } from "../../play/reports/report-html.ts";
import { reportJunit } from "../../play/reports/report-junit.ts";
import { countRequests, MAX_RECORDED_STEPS } from "../../play/scenario/parse-scenario.ts";
import { planAtService } from "../../play/targets/service-plan.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { givenPublishers, type playOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { isColourful, say } from "../output/say.ts";
import { onEndingSignals } from "../processes/host-process.ts";
import { errorInSource, resolveScenario, sourcesOf } from "./load-scenario.ts";
import { notPlayedLines, type Planned, summaryLines } from "./play-summary.ts";

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
        onWait(ms) {
          const about = readableDuration(Math.ceil(ms / 1000) * 1000);
          note(`waits ${about}, until the service has quota again`);
        },
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
