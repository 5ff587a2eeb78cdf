/** Plays a scenario in this process. It blocks the event loop, so progress is drawn from within. */

import { playInProcess, simulatorFor, withHandle } from "../../play/player/play-in-process.ts";
import type { PlayResult } from "../../play/player/result.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { isLive } from "../output/progress-line.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { createProgress } from "./progress.ts";

export interface PlayHereOptions {
  readonly maxRequests: number | undefined;
  readonly reproduce: string;
}

/** This many requests take about ten milliseconds. */
const REQUESTS_BETWEEN = 0x1000;

/** @throws InputError that names a step that the world refuses. */
export function playHere(
  scenario: Scenario,
  options: PlayHereOptions,
  host: HostProcess,
): PlayResult {
  if (!isLive(host)) return playInProcess(scenario, options);
  const progress = createProgress(host);
  const simulator = countRequests(scenario, (sent) => progress.update({ sent }));
  try {
    return playInProcess(scenario, {
      ...options,
      simulator,
      onStep: (done, planned) => progress.update({ done, planned }),
    });
  } finally {
    progress.done();
  }
}

/** The world to play in. It regularly reports the number of its requests. */
function countRequests(scenario: Scenario, tell: (sent: number) => void): SimulatorCore {
  let sent = 0;
  return withHandle(simulatorFor(scenario), (handle, request) => {
    sent += 1;
    if (sent % REQUESTS_BETWEEN === 0) tell(sent);
    return handle(request);
  });
}
