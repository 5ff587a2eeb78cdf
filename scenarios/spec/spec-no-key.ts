/** What a service must do: no endpoint works without an API key (§5.1). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-no-key",
  about:
    "Every endpoint requires an API key. Without one, nothing is answered with 200, and nothing is recorded.",
  steps: [
    { key: null, impression: { session_id: "stranger" }, expect: { status: { not: 200 } } },
    { key: null, click: { impression_id: "stranger" }, expect: { status: { not: 200 } } },
    { key: null, stats: {}, expect: { status: { not: 200 } } },
    { key: null, surfaces: {}, expect: { status: { not: 200 } } },
    { key: null, payouts: {}, expect: { status: { not: 200 } } },
  ],
});
