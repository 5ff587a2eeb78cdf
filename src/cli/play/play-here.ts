/** Plays a scenario in this process, with progress on a terminal. */

import { playScenario } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { createProgress } from "./progress.ts";

export interface PlayHereOptions {
  readonly maxRequests: number | undefined;
  readonly reproduce: string;
}

/** @throws InputError (as a rejection) that names a step that the world refuses. */
export async function playHere(
  scenario: Scenario,
  options: PlayHereOptions,
  host: HostProcess,
): Promise<PlayResult> {
  const progress = createProgress(host);
  try {
    return await playScenario(scenario, {
      ...options,
      onStep: (done, planned) => progress.update({ done, planned }),
      onProgress: ({ sent }) => progress.update({ sent }),
    });
  } finally {
    progress.done();
  }
}
