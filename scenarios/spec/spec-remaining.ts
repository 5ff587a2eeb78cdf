/** What a service must do: every response has X-RateLimit-Remaining (§8). */

import { defineScenario } from "../../src/scenario.ts";

export const scenario = defineScenario({
  name: "spec-remaining",
  about:
    "Every response says in X-RateLimit-Remaining how many requests are left: successes and errors, of all endpoints.",
  steps: [
    { payouts: { limit: 1 } },
    { payouts: { limit: -1 } },
    { click: { impression_id: "none" } },
    { key: null, stats: {} },
  ],
  expectations: [{ invariant: "L7" }],
});
