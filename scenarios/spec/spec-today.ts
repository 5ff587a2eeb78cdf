/** What a service must do: the stats of a period that ends today have today's events (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-today",
  about:
    "The default period ends today, so the stats have an impression as soon as it is recorded. A service whose stats come later can say so with the assumption stats.today.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "today" }, as: "shown", expect: { status: 200 } },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: { impressions: { sum: [{ ref: "before.impressions" }, 1] } },
      },
    },
  ],
});
