/** What a service must do: a second click on one impression (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-second-click",
  about:
    "The same click is sent twice and counts once. Services differ in what the second one gets, and some count it: see the assumption click.repeat.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "clicked twice" }, as: "shown", expect: { status: 200 } },
    { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status: 200 } },
    { click: { impression_id: { ref: "shown.impression_id" } } },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          clicks: { oneOf: [{ ref: "before.clicks" }, { sum: [{ ref: "before.clicks" }, 1] }] },
        },
      },
    },
  ],
});
