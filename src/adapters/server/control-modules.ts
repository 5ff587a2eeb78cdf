/** Loads modules of the control API with the first request that needs them, so that the server starts faster. */

import { InputError } from "../../base/input.ts";
import type { ControlModules, ScenarioPlayer } from "../../control/route.ts";
import { timers } from "./builtins.ts";

export const controlModules: ControlModules = {
  async scenarios() {
    const [{ shippedNames, shippedScenario }, { playStepwise }, { parseScenario }] =
      await Promise.all([
        import("../shipped-scenarios.ts"),
        import("../../play/player/play-in-process.ts"),
        import("../../play/scenario/parse-scenario.ts"),
      ]);
    return {
      list: shippedNames,
      find: shippedScenario,
      play: playWith(playStepwise),
      check: (scenario) => void parseScenario(scenario),
    };
  },
  metrics: () => import("./write-metrics.ts").then(({ writeMetrics }) => writeMetrics),
  inspector: () =>
    import("../../inspector/assets.ts").then(({ inspectorAssets }) => inspectorAssets()),
};

/** How long a play runs before other requests get their turn, in milliseconds. */
const TURN_MS = 10;

function playWith(
  playStepwise: typeof import("../../play/player/play-in-process.ts").playStepwise,
): ScenarioPlayer["play"] {
  return async (scenario, options, client) => {
    const playing = playStepwise(scenario, options);
    let untilMs = performance.now() + TURN_MS;
    for (;;) {
      const step = playing.next();
      if (step.done === true) return step.value;
      if (performance.now() < untilMs) continue;
      await new Promise((resolve) => timers.setImmediate(resolve));
      if (client.hasLeft()) throw new InputError("scenario", "was stopped: its client has left");
      untilMs = performance.now() + TURN_MS;
    }
  };
}
