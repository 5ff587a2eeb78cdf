/** What a service must do: a second click on one impression (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-second-click",
  about:
    "The same click is sent twice and counts once. It is for services that answer a second click with the first id and no credit: say so with the assumption click.repeat.",
  assumptions: { "click.repeat": "original-uncredited" },
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "clicked twice" }, as: "shown", expect: { status: 200 } },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      expect: { status: 200 },
    },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      expect: {
        status: 200,
        body: { click_id: { ref: "click.click_id" }, revenue_credited_inr: 0 },
      },
    },
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
