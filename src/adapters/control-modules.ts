/** What the control API uses from elsewhere: loaded by the first request that needs it, so that the server starts faster. */

import type { ControlModules } from "../control/route.ts";
import { writeMetrics } from "./write-metrics.ts";

export const controlModules: ControlModules = {
  scenarios: () => import("./shipped-scenarios.ts").then((module) => module.shippedScenarios),
  metrics: writeMetrics,
  inspector: () =>
    import("../inspector/assets.ts").then(({ inspectorAssets }) => inspectorAssets()),
};
