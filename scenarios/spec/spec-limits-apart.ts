/** What a service must do: impressions don't count against the limit of the GET endpoints (§8). */

import { defineScenario } from "../../src/scenario.ts";

export const scenario = defineScenario({
  name: "spec-limits-apart",
  about:
    "Impressions and clicks have a limit of 10,000 requests a minute, stats and reports one of 60. 70 impressions leave the second limit as it was.",
  steps: [
    {
      parallel: { times: 70, steps: [{ impression: { session_id: { numbered: "many-" } } }] },
      expect: { sent: 70, ok: 70 },
    },
    { stats: {}, expect: { status: 200 } },
  ],
});
