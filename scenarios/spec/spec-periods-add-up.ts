/** What a service must do: a period has its first and its last day (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-periods-add-up",
  about:
    "A period of 20 past days has the impressions and clicks of its first ten days and of its last ten days, and not one day less. It tells something only if the publisher had traffic then.",
  steps: [
    { stats: { from: { daysAgo: 21 }, to: { daysAgo: 12 } }, as: "first", expect: { status: 200 } },
    { stats: { from: { daysAgo: 11 }, to: { daysAgo: 2 } }, as: "second", expect: { status: 200 } },
    {
      stats: { from: { daysAgo: 21 }, to: { daysAgo: 2 } },
      expect: {
        status: 200,
        body: {
          impressions: { sum: [{ ref: "first.impressions" }, { ref: "second.impressions" }] },
          clicks: { sum: [{ ref: "first.clicks" }, { ref: "second.clicks" }] },
        },
      },
    },
  ],
});
