/** What a service must do: no fraction of an amount is lost (§2). */

import { defineScenario, type Matcher, type Operand, type Scenario } from "../../src/scenario.ts";

const earned: readonly Operand[] = [{ ref: "before.revenue_inr" }, { ref: "shown.creditedInr" }];

function exactly(amounts: readonly Operand[]): Matcher {
  return { between: [{ sum: [...amounts, -0.000001] }, { sum: [...amounts, 0.000001] }] };
}

export const scenario: Scenario = defineScenario({
  name: "spec-exact-revenue",
  about:
    "The revenue grows by exactly what 50 impressions were credited, to the millionth of a rupee. It is for services with exact amounts and live stats: say so with the assumptions money.precision and stats.today.",
  assumptions: { "money.precision": "exact", "stats.today": "live" },
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    {
      repeat: { times: 50, steps: [{ impression: { session_id: { numbered: "exact-" } } }] },
      as: "shown",
      expect: { ok: 50 },
    },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          impressions: { sum: [{ ref: "before.impressions" }, 50] },
          revenue_inr: { oneOf: [exactly(earned)] },
        },
      },
    },
  ],
});
