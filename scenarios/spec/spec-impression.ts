/** What a service must do: an impression is answered with its id and its credit (§2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-impression",
  about:
    "An impression gets an id of its own and a credit that isn't negative, whatever the ad and the session.",
  steps: [
    {
      impression: { session_id: "shown" },
      as: "first",
      expect: {
        status: 200,
        body: { ok: true, impression_id: { type: "string" }, revenue_credited_inr: { atLeast: 0 } },
      },
    },
    {
      repeat: {
        times: 3,
        steps: [
          { impression: { session_id: { numbered: "shown-" } } },
          { impression: { session_id: { numbered: "seen-" }, ad_id: { numbered: "ad-" } } },
        ],
      },
      expect: { sent: 6, ok: 6, differentIds: 6 },
    },
  ],
  expectations: [{ invariant: "H1" }, { invariant: "M3" }],
});
