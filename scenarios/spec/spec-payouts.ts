/** What a service must do: the list of payouts has all their fields (§2, §4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-payouts",
  about:
    "Every payout has its fields, and the pending amount is a number. Without a limit at most 20 payouts are listed.",
  steps: [
    {
      payouts: {},
      expect: {
        status: 200,
        body: { payouts: { length: { atMost: 20 } }, pending_inr: { type: "number" } },
      },
    },
  ],
  expectations: [{ invariant: "H1" }],
});
