/** What a service must do: a key that is bound to its publisher opens nothing of another (§5.4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-other-publisher",
  about:
    "With one publisher's key nothing of another is read or recorded. It is for services whose keys are bound to a publisher: say so with the assumption auth.key-scope. It needs two publishers.",
  assumptions: { "auth.key-scope": "publisher" },
  steps: [
    { stats: { publisher_id: { ref: "publishers.1.id" } }, expect: { status: { not: 200 } } },
    { surfaces: { publisher_id: { ref: "publishers.1.id" } }, expect: { status: { not: 200 } } },
    { payouts: { publisher_id: { ref: "publishers.1.id" } }, expect: { status: { not: 200 } } },
    {
      impression: {
        publisher_id: { ref: "publishers.1.id" },
        surface: { ref: "publishers.1.surfaces.0.id" },
        session_id: "not mine",
      },
      expect: { status: { not: 200 } },
    },
  ],
});
