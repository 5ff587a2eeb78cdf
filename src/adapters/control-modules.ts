/** What the control API uses from elsewhere: loaded by the first request that needs it, so that the server starts faster. */

import { InputError } from "../base/input.ts";
import type { ControlModules } from "../control/route.ts";
import { writeMetrics } from "./write-metrics.ts";

export const controlModules: ControlModules = {
  async scenarios() {
    // One after the other: in a vm context, imports at the same time fail that share a module.
    const { shippedScenarios } = await import("./shipped-scenarios.ts");
    const { playInWorld } = await import("../play/play-scenario.ts");
    const { createTurns } = await import("../play/targets/turns.ts");
    return {
      shipped: shippedScenarios,
      play(world, scenario, options, client) {
        const turns = createTurns(() => {
          if (client.hasLeft())
            throw new InputError("scenario", "was stopped: its client has left");
        });
        return playInWorld(world, scenario, { ...options, turns });
      },
    };
  },
  metrics: writeMetrics,
  inspector: () =>
    import("../inspector/assets.ts").then(({ inspectorAssets }) => inspectorAssets()),
};
