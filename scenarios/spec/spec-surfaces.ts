/** What a service must do: the list of surfaces has all their fields (§2, §4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-surfaces",
  about:
    "Every surface has an id, a name, a status and the two bounds of its price. An impression on it earns no more than the upper bound says.",
  steps: [
    { surfaces: {}, as: "list", expect: { status: 200 } },
    {
      expect: {
        of: "list.surfaces",
        is: {
          every: {
            id: { type: "string" },
            name: { type: "string" },
            status: { type: "string" },
            cpm_range: [{ atLeast: 0 }, { atLeast: 0 }],
          },
        },
      },
    },
    { impression: { session_id: "priced" }, expect: { status: 200 } },
  ],
  expectations: [{ invariant: "M3" }, { invariant: "H1" }],
});
