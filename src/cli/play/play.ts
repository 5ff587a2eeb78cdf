/** `adsim play SCENARIO...`: plays in this process or at a target, prints the results, and writes reports. */

import { constants } from "node:os";
import { MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { adsimLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { plural, readableDuration } from "../../play/measure/quantities.ts";
import { playScenarios } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { playText } from "../../play/reports/play-text.ts";
import { reportHtml } from "../../play/reports/report-html.ts";
import { reportJunit } from "../../play/reports/report-junit.ts";
import { countRequests } from "../../play/scenario/count-requests.ts";
import { MAX_RECORDED_STEPS } from "../../play/scenario/parse-scenario.ts";
import { planAtService } from "../../play/targets/service-plan.ts";
import type { Call } from "../options/option.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { isColourful, say } from "../output/say.ts";
import { onEndingSignals } from "../processes/signals.ts";
import { sourcesOf } from "./load-scenario.ts";
import { notPlayedLines, type Planned, summaryLines } from "./play-summary.ts";
import { errorInSource, type ResolvedScenario, resolveScenario } from "./resolve-scenario.ts";
import { type PlayFlags, readTarget, type TargetGiven } from "./target.ts";

/** @returns 0 if every scenario passed; 1 if one failed or is undecided. */
export async function play(call: Call<PlayFlags>): Promise<number> {
  const { words, flags, host } = call;
  const { report = [], json } = flags;
  const target = await readTarget(call);
  const all: Planned[] = [];
  for (const source of words.flatMap(sourcesOf)) {
    const one = await resolveScenario(source, target.overrides, host);
    const { knownChoices } = target;
    all.push({ ...one, plan: planAtService(one.scenario, { speed: flags.speed, knownChoices }) });
  }
  const isOne = all.length === 1;
  if (!isOne && report.some(({ kind }) => kind === "html")) {
    throw wrongUsage("--report html=FILE shows one scenario. For several, use junit or json.");
  }
  await checkReports(report);
  const chosen = target.isService ? playableAt(all, target, flags) : all;
  const stream = json === true ? host.stderr : host.stdout;
  const colour = isColourful(stream, host.env);
  const results = await playAll(chosen, target, call, (result) => {
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
    const lines = [...summaryLines(results), ...notPlayedLines(left, target.credentials.length)];
    say(`\n${lines.join("\n")}\n`, stream);
  }
  // Where none could be played, nothing was checked.
  const hasPassed = results.length > 0 && results.every(({ result }) => result === "passed");
  return hasPassed ? exitCodes.fine : exitCodes.checkFailed;
}

/** One is played as far as possible. Of several, those that can be played whole; those that read most come last: they may use up the limit. */
function playableAt(
  all: readonly Planned[],
  { credentials, knownChoices }: TargetGiven,
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
    ({ plan: { impossible, publishers, totalMs } }) =>
      impossible.length === 0 &&
      publishers <= credentials.length &&
      (wait === true || totalMs <= MINUTE_MS),
  );
  return playable.toSorted((one, other) => one.plan.reads - other.plan.reads);
}

/** As many take a minute or longer. */
const MANY_REQUESTS = 5_000_000;

/** Plays one after the other, until the end or a signal. */
async function playAll(
  chosen: readonly Planned[],
  target: TargetGiven,
  { host, flags, given }: Call<PlayFlags>,
  tell: (result: PlayResult) => void,
): Promise<readonly PlayResult[]> {
  const ending = new AbortController();
  const stopListening = onEndingSignals(host, (signal) => ending.abort(signal));
  const names = Object.keys(flags).filter((name) => name !== "json" && name !== "report");
  const note = (line: string): void => void host.stderr.write(`adsim: ${line}\n`);
  const results: PlayResult[] = [];
  const requests = chosen.reduce((sum, { scenario }) => sum + countRequests(scenario), 0);
  if (!target.isService && requests > MANY_REQUESTS) {
    note(`plays ${plural(requests, "request")}: that takes a minute or longer`);
  }
  try {
    const playing = playScenarios(
      chosen.map(({ scenario }) => scenario),
      {
        ...{ target: target.target, speed: flags.speed },
        // The variable may be set, where a play in this process needs no token.
        ...(target.target !== undefined && { controlToken: flags.controlToken }),
        ...(target.isService && atService(chosen, target, flags, note)),
        maxRequests: flags.maxRequests,
        maxSteps: MAX_RECORDED_STEPS,
        signal: ending.signal,
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
    if (!ending.signal.aborted) throw playing === undefined ? error : explained(playing, error);
    const signal: NodeJS.Signals = ending.signal.reason;
    note(`${signal}, stopped before the scenario's end: there is no result`);
    // Exits at once: the play may be waiting for hours. Its connections are closed already.
    return host.exit(128 + constants.signals[signal]);
  } finally {
    stopListening();
  }
}

/** Shorter waits aren't worth a word. */
const SHORT_MS = 3000;

function atService(
  chosen: readonly Planned[],
  { credentials, knownChoices }: TargetGiven,
  { runId, wait }: PlayFlags,
  note: (line: string) => void,
) {
  const totalMs = chosen.reduce((sum, { plan }) => sum + plan.totalMs, 0);
  // Of several, those that need it were left out.
  const mayWait = wait === true || chosen.length > 1;
  if (totalMs >= SHORT_MS && (mayWait || totalMs <= MINUTE_MS)) {
    note(`waits for ${readableDuration(totalMs)} in all: time is real there`);
  }
  return {
    ...{ credentials, assumptions: knownChoices, runId, wait: mayWait },
    onWait(ms: number) {
      const about = readableDuration(Math.ceil(ms / 1000) * 1000);
      note(`waits ${about}, until the service has quota again`);
    },
  };
}

const ownOptions = ["target", "speed", "controlToken", "runId", "wait"];

/** Attributes the error to an option, or to the scenario. */
function explained(chosen: ResolvedScenario, error: unknown): unknown {
  const [name = ""] = error instanceof InputError ? error.field.split(".") : [];
  return ownOptions.includes(name) ? error : errorInSource(chosen, error);
}
