/** What a service must do: the stats have all their fields (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { ok, ref } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-stats",
  about:
    "The stats of the default period have every field of the specification, each with its type. The totals are the sum of the surfaces, and no amount is negative.",
  steps: [
    {
      stats: {},
      as: "month",
      expect: ok({ publisher_id: ref("publishers.0.id"), revenue_inr: { atLeast: 0 } }),
    },
    { expect: { of: "month.surfaces", is: { every: { revenue: { atLeast: 0 } } } } },
  ],
  expectations: [{ invariant: "S2" }, { invariant: "H1" }],
});
