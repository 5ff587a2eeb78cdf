/** Plays a scenario at a URL, with progress on a terminal, until its end or a signal. */

import { constants } from "node:os";
import { InputError } from "../../base/input.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { type PlayScenarioOptions, playScenario } from "../../play/targets/play-scenario.ts";
import { failureAtTarget, wrongUsage } from "../output/exit.ts";
import { endingSignals, onSignals } from "../processes/signals.ts";
import { createProgress } from "./progress.ts";
import { errorInSource, type ResolvedScenario } from "./resolve-scenario.ts";

/** @throws CommandFailure where the scenario or the options are wrong, and where nobody answers there. */
export async function playAtTarget(
  chosen: ResolvedScenario,
  options: PlayScenarioOptions,
): Promise<PlayResult> {
  const ending = new AbortController();
  const stopListening = onSignals(endingSignals, (signal) => ending.abort(signal));
  const progress = createProgress(process.stderr);
  try {
    return await playScenario(chosen.scenario, {
      ...options,
      onStep: (done, planned) => progress.update({ done, planned }),
      onProgress: ({ sent, dropped }) => progress.update({ sent, errors: dropped }),
      signal: ending.signal,
    });
  } catch (error) {
    if (ending.signal.aborted) return interrupted(progress.done, ending.signal.reason);
    throw explained(chosen, error);
  } finally {
    progress.done();
    stopListening();
  }
}

/** What it waited for may be hours away, and would keep the process: connections are closed, so it ends now. */
function interrupted(eraseProgress: () => void, signal: NodeJS.Signals): never {
  eraseProgress();
  process.stderr.write(`adsim: ${signal}, stopped before the scenario's end: there is no result\n`);
  process.exit(128 + constants.signals[signal]);
}

const ownOptions: ReadonlySet<string> = new Set(["target", "speed", "controlToken", "credentials"]);

/** Who is wrong: an option, the scenario, or whoever is at the URL. */
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
