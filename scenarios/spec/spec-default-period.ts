/** What a service must do: without dates the period is the last 30 days and today (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-default-period",
  about:
    "Without dates the stats cover the period from 30 days before today to today. Whoever names its two dates gets the same period.",
  steps: [
    { stats: {}, as: "usual", expect: { status: 200 } },
    {
      stats: { from: { ref: "usual.period.from" }, to: { ref: "usual.period.to" } },
      expect: {
        status: 200,
        body: { period: { from: { ref: "usual.period.from" }, to: { ref: "usual.period.to" } } },
      },
    },
  ],
  expectations: [{ invariant: "S4" }],
});
