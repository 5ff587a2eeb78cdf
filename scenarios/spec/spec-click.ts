/** What a service must do: a click is answered with its id and its credit (§2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-click",
  about:
    "A click on an impression that was just recorded gets an id of its own and a credit that isn't negative.",
  steps: [
    { impression: { session_id: "clicked" }, as: "first", expect: { status: 200 } },
    { impression: { session_id: "clicked, too" }, as: "second", expect: { status: 200 } },
    {
      click: { impression_id: { ref: "first.impression_id" } },
      as: "click",
      expect: {
        status: 200,
        body: { ok: true, click_id: { type: "string" }, revenue_credited_inr: { atLeast: 0 } },
      },
    },
    {
      click: { impression_id: { ref: "second.impression_id" } },
      expect: { status: 200, body: { click_id: { not: { ref: "click.click_id" } } } },
    },
  ],
  expectations: [{ invariant: "H1" }],
});
