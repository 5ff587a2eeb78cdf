/** What a service must do: every response has X-RateLimit-Remaining (§8). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-remaining",
  about:
    "Every response says in X-RateLimit-Remaining how many requests are left: successes and errors, of all endpoints.",
  steps: [
    { payouts: { limit: 1 }, expect: { headers: { "x-ratelimit-remaining": { not: "" } } } },
    { payouts: { limit: -1 }, expect: { headers: { "x-ratelimit-remaining": { not: "" } } } },
    {
      click: { impression_id: "none" },
      expect: { headers: { "x-ratelimit-remaining": { not: "" } } },
    },
    { key: null, stats: {}, expect: { headers: { "x-ratelimit-remaining": { not: "" } } } },
  ],
  expectations: [{ invariant: "L7" }],
});
