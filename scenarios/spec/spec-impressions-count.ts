/** What a service must do: the stats count each impression once (§2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-impressions-count",
  about:
    "After three impressions the stats have up to three more: fewer if today isn't included yet or the stats lag behind, and never more. They have no click more.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    {
      repeat: { times: 3, steps: [{ impression: { session_id: { numbered: "counted-" } } }] },
      expect: { ok: 3 },
    },
    {
      stats: { from: { ref: "before.period.from" } },
      as: "after",
      expect: {
        status: 200,
        body: {
          impressions: {
            between: [{ ref: "before.impressions" }, { sum: [{ ref: "before.impressions" }, 3] }],
          },
          clicks: { ref: "before.clicks" },
        },
      },
    },
  ],
});
