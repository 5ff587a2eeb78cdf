/** What a service must do: no fraction of an amount is lost (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { around, grown, ref, statsAround } from "../words.ts";

const earned = [ref("before.revenue_inr"), ref("shown.creditedInr")];

export const scenario = defineScenario({
  name: "spec-exact-revenue",
  about:
    "The revenue grows by exactly what 50 impressions were credited, to the millionth of a rupee. It is for services with exact amounts and live stats: say so with the assumptions money.precision and stats.today.",
  assumptions: { "money.precision": "exact", "stats.today": "live" },
  steps: statsAround(
    { impressions: grown("impressions", 50), revenue_inr: around(earned, 0.000001) },
    [
      {
        repeat: { times: 50, steps: [{ impression: { session_id: { numbered: "exact-" } } }] },
        as: "shown",
        expect: { ok: 50 },
      },
    ],
  ),
});
