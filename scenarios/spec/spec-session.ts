/** What a service must do: the session id is there for de-duplication (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-session",
  about:
    "The same impression in the same session is sent twice and counts once. Services differ in what the second one gets, and some count it: see the assumption dedup.repeat.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "once" }, as: "shown", expect: { status: 200 } },
    { impression: { session_id: "once" }, as: "again" },
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
