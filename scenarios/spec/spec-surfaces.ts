/** What a service must do: the list of surfaces has all their fields (§2, §4). */

import { defineScenario } from "../../src/scenario.ts";
import { ok, ref } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-surfaces",
  about:
    "Every surface has an id, a name, a status and the two bounds of its price, lower first. An impression on it earns no more than the upper bound says.",
  steps: [
    {
      surfaces: {},
      as: "list",
      expect: ok({ surfaces: { every: { cpm_range: [{ atLeast: 0 }, { atLeast: 0 }] } } }),
    },
    {
      expect: {
        of: "list.surfaces.0.cpm_range.1",
        is: { atLeast: ref("list.surfaces.0.cpm_range.0") },
      },
    },
    { impression: { session_id: "priced" }, expect: { status: 200 } },
  ],
  expectations: [{ invariant: "M3" }, { invariant: "H1" }],
});
