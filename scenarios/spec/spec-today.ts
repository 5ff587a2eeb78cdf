/** What a service must do: the stats of a period that ends today have today's events (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-today",
  about:
    "The default period ends today, so the stats have an impression and a click as soon as they are recorded. It is for services whose stats are live: say so with the assumption stats.today.",
  assumptions: { "stats.today": "live" },
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "today" }, as: "shown", expect: { status: 200 } },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      expect: { status: 200 },
    },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          impressions: { sum: [{ ref: "before.impressions" }, 1] },
          clicks: { sum: [{ ref: "before.clicks" }, 1] },
        },
      },
    },
  ],
});
