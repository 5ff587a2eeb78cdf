/** What a service must do: the revenue of the stats is the sum of the credits (§1, §2). */

import { defineScenario, type Matcher, type Operand, type Scenario } from "../../src/scenario.ts";

const earned: readonly Operand[] = [
  { ref: "before.revenue_inr" },
  { ref: "shown.revenue_credited_inr" },
  { ref: "more.creditedInr" },
  { ref: "click.revenue_credited_inr" },
];

/** The sum, of which each amount may be rounded. */
function around(amounts: readonly Operand[]): Matcher {
  return { between: [{ sum: [...amounts, -0.05] }, { sum: [...amounts, 0.05] }] };
}

export const scenario: Scenario = defineScenario({
  name: "spec-revenue",
  about:
    "What three impressions and a click are credited is what the revenue grows by, or it doesn't grow yet if today isn't included. The check allows for amounts that are rounded to the paisa.",
  steps: [
    { stats: {}, as: "before", expect: { status: 200 } },
    { impression: { session_id: "earning" }, as: "shown", expect: { status: 200 } },
    {
      repeat: { times: 2, steps: [{ impression: { session_id: { numbered: "earning-" } } }] },
      as: "more",
      expect: { ok: 2 },
    },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      expect: { status: 200 },
    },
    {
      stats: { from: { ref: "before.period.from" } },
      expect: {
        status: 200,
        body: {
          revenue_inr: { oneOf: [around(earned.slice(0, 1)), around(earned)] },
        },
      },
    },
  ],
});
