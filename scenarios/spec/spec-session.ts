/** What a service must do: the session id is there for de-duplication (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-session",
  about:
    "The same impression in the same session is sent twice and counts once. It is for services that answer a duplicate with the first id and no credit: say so with the assumption dedup.repeat.",
  assumptions: { "dedup.repeat": "original-uncredited" },
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "once" }, as: "shown", expect: { status: 200 } },
    {
      impression: { session_id: "once" },
      expect: {
        status: 200,
        body: { impression_id: { ref: "shown.impression_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          impressions: {
            oneOf: [{ ref: "before.impressions" }, { sum: [{ ref: "before.impressions" }, 1] }],
          },
        },
      },
    },
  ],
});
