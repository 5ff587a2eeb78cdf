/** `adsim play SCENARIO...`: plays in this process or at a target, prints the results, and writes reports. */

import { constants } from "node:os";
import { MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { adsimLine } from "../../base/shell.ts";
import { indentedJson } from "../../base/text.ts";
import { readableDuration } from "../../play/measure/quantities.ts";
import { playScenarios } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { reportText } from "../../play/reports/report-text.ts";
import { MAX_RECORDED_STEPS } from "../../play/scenario/parse-scenario.ts";
import { planAtService } from "../../play/targets/service-plan.ts";
import type { Call } from "../options/option.ts";
import { exitCodes, failureAtTarget, wrongUsage } from "../output/exit.ts";
import { createProgress, type Progress } from "../output/progress.ts";
import { checkReports, writeReports } from "../output/reports.ts";
import { isColourful, say } from "../output/say.ts";
import { endingSignals, onSignals } from "../processes/signals.ts";
import { sourcesOf } from "./load-scenario.ts";
import { notPlayedLines, summaryLines } from "./play-summary.ts";
import { errorInSource, type ResolvedScenario, resolveScenario } from "./resolve-scenario.ts";
import { type PlayFlags, readTarget, type TargetGiven } from "./target.ts";
import { reportFiles } from "./write-reports.ts";

/** @returns 0 if every scenario passed; 1 if one failed or is undecided. */
export async function play(call: Call<PlayFlags>): Promise<number> {
  const { words, flags, host } = call;
  const { report = [], json } = flags;
  const target = await readTarget(call);
  const all: ResolvedScenario[] = [];
  for (const word of words) {
    for (const source of sourcesOf(word)) {
      all.push(await resolveScenario(source, target.overrides, host));
    }
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
    const text = reportText(result, { colour });
    if (isOne) return;
    // A line for what passed, the whole report for everything else.
    stream.write(result.result === "passed" ? `${text.split("\n", 1)[0]}\n` : `${text}\n`);
  });
  // The files come first: when the text appears, they exist.
  await writeReports(report, reportFiles(results), host.stderr);
  const [only] = results;
  if (json === true) {
    say(indentedJson(isOne ? only : { version: 1, results }), host.stdout);
  }
  if (isOne && only !== undefined) stream.write(reportText(only, { colour }));
  else {
    const left = all.filter((one) => !chosen.includes(one));
    const lines = [...summaryLines(results), ...notPlayedLines(left, target, flags.speed)];
    say(`\n${lines.join("\n")}\n`, stream);
  }
  // Where none could be played, nothing was checked.
  const hasPassed = results.length > 0 && results.every(({ result }) => result === "passed");
  return hasPassed ? exitCodes.fine : exitCodes.checkFailed;
}

/** One is played as far as possible. Of several, those that can be played whole; those that read most come last: they may use up the limit. */
function playableAt(
  all: readonly ResolvedScenario[],
  { credentials, knownChoices }: TargetGiven,
  { speed, wait }: PlayFlags,
): readonly ResolvedScenario[] {
  const [only] = all;
  if (only !== undefined && all.length === 1) {
    const { name, about, steps } = only.scenario;
    const { impossible } = planAtService(
      { name, about, steps: steps.slice(0, 1) },
      { knownChoices, speed },
    );
    if (impossible.length === 0) return all;
    throw wrongUsage(
      `${only.source} can't be played at this service: its first step needs ${impossible.join(" and ")}, which only an adsim has. See: npx adsim scenarios.`,
    );
  }
  return all
    .map((one) => ({ one, plan: planAtService(one.scenario, { speed, knownChoices }) }))
    .filter(
      ({ plan }) =>
        plan.impossible.length === 0 &&
        plan.publishers <= credentials.length &&
        (wait === true || plan.totalMs <= MINUTE_MS),
    )
    .sort((first, second) => first.plan.reads - second.plan.reads)
    .map(({ one }) => one);
}

/** Plays one after the other, with progress on a terminal, until the end or a signal. */
async function playAll(
  chosen: readonly ResolvedScenario[],
  target: TargetGiven,
  call: Call<PlayFlags>,
  tell: (result: PlayResult) => void,
): Promise<readonly PlayResult[]> {
  const { host, flags } = call;
  const progress = createProgress(host);
  const ending = new AbortController();
  const stopListening = onSignals(host, endingSignals, (signal) => ending.abort(signal));
  const results: PlayResult[] = [];
  const isOne = chosen.length === 1;
  try {
    const playing = playScenarios(
      chosen.map(({ scenario }) => scenario),
      {
        ...{ target: target.target, speed: flags.speed },
        // The variable may be set, where a play in this process needs no token.
        ...(target.target !== undefined && { controlToken: flags.controlToken }),
        ...(target.isService && atService(chosen, target, flags, progress)),
        ...progressOf(progress, () => (isOne ? "" : `${results.length + 1} of ${chosen.length}, `)),
        maxRequests: flags.maxRequests,
        maxSteps: MAX_RECORDED_STEPS,
        signal: ending.signal,
      },
    );
    for await (const result of playing) {
      const reproduce = reproduceLine(chosen[results.length]?.source ?? "", call);
      results.push({ ...result, reproduce });
      progress.erase();
      tell({ ...result, reproduce });
    }
    return results;
  } catch (error) {
    progress.erase();
    const playing = chosen[results.length];
    if (!ending.signal.aborted) throw playing === undefined ? error : explained(playing, error);
    const signal: NodeJS.Signals = ending.signal.reason;
    host.stderr.write(`adsim: ${signal}, stopped before the scenario's end: there is no result\n`);
    // Exits at once: the play may be waiting for hours. Its connections are closed already.
    return host.exit(128 + constants.signals[signal]);
  } finally {
    stopListening();
  }
}

/** Shorter waits aren't worth a word. */
const SHORT_MS = 3000;

function atService(
  chosen: readonly ResolvedScenario[],
  { credentials, knownChoices }: TargetGiven,
  { speed, runId, wait }: PlayFlags,
  progress: Progress,
) {
  const totalMs = chosen
    .map(({ scenario }) => planAtService(scenario, { speed }).totalMs)
    .reduce((sum, ms) => sum + ms, 0);
  if (totalMs >= SHORT_MS && (wait === true || chosen.length > 1 || totalMs <= MINUTE_MS)) {
    progress.note(`adsim: waits for ${readableDuration(totalMs)} in all: time is real there`);
  }
  return {
    ...{ credentials, assumptions: knownChoices, runId },
    // Of several, those that need it were left out.
    wait: wait === true || chosen.length > 1,
    onWait: (ms: number) =>
      progress.note(
        `adsim: waits ${readableDuration(Math.ceil(ms / 1000) * 1000)}, until the service has quota again`,
      ),
  };
}

/** The line with the step and the requests so far. `place`: which scenario it is. */
function progressOf(progress: Progress, place: () => string) {
  let about = "";
  const draw = (sent: number): void =>
    progress.draw(() => `${place()}${about}${sent === 0 ? "" : `, ${sent} requests`}`);
  return {
    onStep(index: number, count: number) {
      about = `step ${Math.min(index + 1, count)} of ${count}`;
      draw(0);
    },
    onProgress: (done: { readonly sent: number }) => draw(done.sent),
  };
}

const ownOptions: ReadonlySet<string> = new Set([
  ...["target", "speed", "controlToken", "credentials", "runId", "wait"],
]);

/** Attributes the error to an option, the scenario, or the target. */
function explained(chosen: ResolvedScenario, error: unknown): unknown {
  if (!(error instanceof InputError)) return failureAtTarget(error);
  const [name = ""] = error.field.split(".");
  if (name === "credentials") return wrongUsage(`--publisher: ${error.message}`);
  return ownOptions.has(name) ? error : errorInSource(chosen, error);
}

/** A line for a POSIX shell: the arguments as given, with keys replaced, and this one scenario. */
function reproduceLine(source: string, { flags, given }: Call<PlayFlags>): string {
  const names = Object.keys(flags).filter((name) => name !== "json" && name !== "report");
  // The file behind standard input isn't known.
  return `${adsimLine(["play", source, ...given(names)])}${source === "-" ? " < FILE" : ""}`;
}
