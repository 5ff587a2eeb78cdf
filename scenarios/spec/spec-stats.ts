/** What a service must do: the stats have all their fields (§2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-stats",
  about:
    "The stats of the default period have every field of the specification, each with its type. The totals are the sum of the surfaces.",
  steps: [
    {
      stats: {},
      as: "month",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": { type: "string" } },
        body: {
          publisher_id: { ref: "publishers.0.id" },
          period: { from: { length: 10 }, to: { length: 10 } },
          impressions: { type: "integer" },
          clicks: { type: "integer" },
          revenue_inr: { atLeast: 0 },
        },
      },
    },
    {
      expect: {
        of: "month.surfaces",
        is: {
          every: {
            id: { type: "string" },
            impressions: { type: "integer" },
            revenue: { atLeast: 0 },
          },
        },
      },
    },
  ],
  expectations: [{ invariant: "S2" }, { invariant: "H1" }],
});
