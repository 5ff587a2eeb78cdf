/** What a service must do: one publisher's events aren't another's (§2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-publishers-apart",
  about:
    "While one publisher records impressions and a click, the stats of another stay as they were. It needs two publishers.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    {
      repeat: {
        times: 3,
        steps: [{ publisher: 1, impression: { session_id: { numbered: "theirs-" } } }],
      },
      expect: { ok: 3 },
    },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          impressions: { ref: "before.impressions" },
          clicks: { ref: "before.clicks" },
          revenue_inr: { ref: "before.revenue_inr" },
        },
      },
    },
    { impression: { session_id: "mine" }, expect: { status: 200 } },
    {
      publisher: 1,
      stats: {},
      expect: { status: 200, body: { publisher_id: { ref: "publishers.1.id" } } },
    },
  ],
  expectations: [{ invariant: "D3" }],
});
