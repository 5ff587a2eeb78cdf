/** What a service must do: a period has its first and its last day (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { around, ok, ref, sumOf } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-periods-add-up",
  about:
    "A period of 20 past days has the impressions, clicks and revenue of its first ten days and of its last ten days, and not one day less. It tells something only if the publisher had traffic then.",
  steps: [
    { stats: { from: { daysAgo: 21 }, to: { daysAgo: 12 } }, as: "first", expect: { status: 200 } },
    { stats: { from: { daysAgo: 11 }, to: { daysAgo: 2 } }, as: "second", expect: { status: 200 } },
    {
      stats: { from: { daysAgo: 21 }, to: { daysAgo: 2 } },
      expect: ok({
        impressions: sumOf("first.impressions", "second.impressions"),
        clicks: sumOf("first.clicks", "second.clicks"),
        revenue_inr: around([ref("first.revenue_inr"), ref("second.revenue_inr")], 0.03),
      }),
    },
  ],
});
