/** What a service must do: the stats count a click as a click, and as nothing else (§2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-clicks-count",
  about:
    "After one impression and one click the stats have one more of each, or as many as before if today isn't included yet.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "clicked" }, as: "shown", expect: { status: 200 } },
    { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status: 200 } },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          impressions: {
            oneOf: [{ ref: "before.impressions" }, { sum: [{ ref: "before.impressions" }, 1] }],
          },
          clicks: { oneOf: [{ ref: "before.clicks" }, { sum: [{ ref: "before.clicks" }, 1] }] },
        },
      },
    },
  ],
});
