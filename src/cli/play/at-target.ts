/** Plays a scenario at a URL, with progress on a terminal, until its end or a signal. */

import { constants } from "node:os";
import { InputError } from "../../base/input.ts";
import { type PlayScenarioOptions, playScenario, playScenarios } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { planAtService } from "../../play/targets/service-plan.ts";
import { failureAtTarget, wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { endingSignals, onSignals } from "../processes/signals.ts";
import { createProgress, type PlayProgress } from "./progress.ts";
import { errorInSource, type ResolvedScenario } from "./resolve-scenario.ts";
import type { TargetFlags } from "./target-flags.ts";

/** @throws CommandFailure if the scenario or an option is wrong, or if nothing answers at the URL. */
export function playAtTarget(
  chosen: ResolvedScenario,
  options: PlayScenarioOptions,
  host: HostProcess,
): Promise<PlayResult> {
  const { speed, assumptions, credentials = [] } = options;
  const { stepsMs } = planAtService(chosen.scenario, { speed, knownChoices: assumptions });
  const isReal = credentials.length > 0;
  return untilSignal(host, async (progress, signal) => {
    try {
      return await playScenario(chosen.scenario, {
        ...options,
        onStep(done, planned) {
          const leftMs = stepsMs.slice(done).reduce((sum, ms) => sum + ms, 0);
          progress.update({ done, planned, ...(isReal && leftMs > 0 && { leftMs }) });
        },
        onProgress: ({ sent, dropped }) => progress.update({ sent, errors: dropped }),
        signal,
      });
    } catch (error) {
      throw explained(chosen, error);
    }
  });
}

/** Plays scenarios one after the other. `tell`: called with each result. @throws as {@link playAtTarget} */
export function playAllAtService(
  chosen: readonly { readonly scenario: Scenario; readonly reproduce: string }[],
  options: PlayScenarioOptions & Pick<TargetFlags, "knownChoices">,
  host: HostProcess,
  tell: (result: PlayResult) => void,
): Promise<readonly PlayResult[]> {
  return untilSignal(host, async (progress, signal) => {
    let done = 0;
    progress.update({ done, planned: chosen.length });
    try {
      const results: PlayResult[] = [];
      const scenarios = chosen.map(({ scenario }) => scenario);
      const { knownChoices: assumptions } = options;
      for await (const result of playScenarios(scenarios, { ...options, assumptions, signal })) {
        done += 1;
        progress.done();
        tell(result);
        results.push(result);
        progress.update({ done, planned: chosen.length });
      }
      return results;
    } catch (error) {
      throw failureAtTarget(error);
    }
  });
}

/** How often the progress line is redrawn while nothing happens. */
const TICK_MS = 500;

async function untilSignal<Result>(
  host: HostProcess,
  work: (progress: PlayProgress, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const stopListening = onSignals(host, endingSignals, (signal) => ending.abort(signal));
  const progress = createProgress(host);
  const ticking = setInterval(() => progress.update({}), TICK_MS);
  try {
    return await work(progress, ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    progress.done();
    return interrupted(host, ending.signal.reason);
  } finally {
    clearInterval(ticking);
    progress.done();
    stopListening();
  }
}

/** Exits at once: the play may be waiting for hours. Its connections are closed already. */
function interrupted(host: HostProcess, signal: NodeJS.Signals): never {
  host.stderr.write(`adsim: ${signal}, stopped before the scenario's end: there is no result\n`);
  host.exit(128 + constants.signals[signal]);
}

const ownOptions: ReadonlySet<string> = new Set([
  "target",
  "speed",
  "controlToken",
  "credentials",
  "runId",
  "wait",
]);

/** Attributes the error to an option, the scenario, or the target. */
function explained(chosen: ResolvedScenario, error: unknown): unknown {
  if (error instanceof InputError) {
    const [name = ""] = error.field.split(".");
    if (name === "credentials") return wrongUsage(`--publisher: ${error.message}`);
    return ownOptions.has(name) ? error : errorInSource(chosen, error);
  }
  return failureAtTarget(error);
}
