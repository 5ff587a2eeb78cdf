/** Plays a scenario at a URL, with progress on a terminal, until its end or a signal. */

import { constants } from "node:os";
import { InputError } from "../../base/input.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { type PlayScenarioOptions, playScenario } from "../../play/targets/play-scenario.ts";
import { failureAtTarget, wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { endingSignals, onSignals } from "../processes/signals.ts";
import { createProgress } from "./progress.ts";
import { errorInSource, type ResolvedScenario } from "./resolve-scenario.ts";

/** @throws CommandFailure if the scenario or an option is wrong, or if nothing answers at the URL. */
export async function playAtTarget(
  chosen: ResolvedScenario,
  options: PlayScenarioOptions,
  host: HostProcess,
): Promise<PlayResult> {
  const ending = new AbortController();
  const stopListening = onSignals(host, endingSignals, (signal) => ending.abort(signal));
  const progress = createProgress(host);
  try {
    return await playScenario(chosen.scenario, {
      ...options,
      onStep: (done, planned) => progress.update({ done, planned }),
      onProgress: ({ sent, dropped }) => progress.update({ sent, errors: dropped }),
      signal: ending.signal,
    });
  } catch (error) {
    if (ending.signal.aborted) {
      progress.done();
      return interrupted(host, ending.signal.reason);
    }
    throw explained(chosen, error);
  } finally {
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
    if (name === "credentials") {
      return wrongUsage(`--publisher: ${error.message}`);
    }
    return ownOptions.has(name) ? error : errorInSource(chosen, error);
  }
  return failureAtTarget(error);
}
