/** What a service must do: a period of one day is that day (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-one-day",
  about:
    "A period that begins and ends on the same day is that day, and is answered like any other. Its totals are the sum of its surfaces.",
  steps: [
    {
      stats: { from: { daysAgo: 3 }, to: { daysAgo: 3 } },
      expect: { status: 200, body: { period: { from: { daysAgo: 3 }, to: { daysAgo: 3 } } } },
    },
  ],
  expectations: [{ invariant: "S2" }],
});
