/** What a service must do: a limit bounds the list of payouts, and 100 is its maximum (§4, §8). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-payout-limit",
  about:
    "No list is longer than its limit. A limit above 100 is refused or counts as 100: no list has more than 100 payouts. The same goes for a limit that makes no sense: it is refused, or the list has at most 100 payouts.",
  steps: [
    {
      payouts: { limit: 1 },
      expect: { status: 200, body: { payouts: { length: { atMost: 1 } } } },
    },
    {
      payouts: { limit: 100 },
      expect: { status: 200, body: { payouts: { length: { atMost: 100 } } } },
    },
    { payouts: { limit: 101 } },
    { payouts: { limit: 1000 } },
    { payouts: { limit: -1 } },
    { payouts: { limit: "many" } },
  ],
  expectations: [{ invariant: "H1" }],
});
