/** What a service must do: every endpoint refuses a key that belongs to no publisher (§5). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-unknown-key",
  about:
    "Every endpoint requires an API key that was given to a publisher. With another one, nothing is answered with 200, and nothing is recorded.",
  steps: [
    {
      key: "no-such-key",
      impression: { session_id: "stranger" },
      expect: { status: { not: 200 } },
    },
    { key: "no-such-key", click: { impression_id: "stranger" }, expect: { status: { not: 200 } } },
    { key: "no-such-key", stats: {}, expect: { status: { not: 200 } } },
    { key: "no-such-key", surfaces: {}, expect: { status: { not: 200 } } },
    { key: "no-such-key", payouts: {}, expect: { status: { not: 200 } } },
  ],
});
