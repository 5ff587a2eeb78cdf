/** What a service must do: no key gets more than 60 stats a minute (§8). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-stats-limit",
  about:
    "130 requests for stats come at once. Two minutes touch in that moment at most, so that a correct service serves at most 120 of them. The rest isn't answered with 200.",
  steps: [
    {
      parallel: { times: 130, steps: [{ stats: {} }] },
      expect: { sent: 130, ok: { atMost: 120 } },
    },
  ],
});
