/** What a service must do: the revenue of the stats is the sum of the credits (§1, §2). */

import { defineScenario } from "../../src/scenario.ts";
import { around, clickOn, ref, statsAround } from "../words.ts";

const before = ref("before.revenue_inr");
const click = ref("click.revenue_credited_inr");

export const scenario = defineScenario({
  name: "spec-revenue",
  about:
    "What three impressions and a click are credited is what the revenue grows by, or it doesn't grow yet if today isn't included. The check allows for amounts that are rounded to the paisa.",
  steps: statsAround(
    {
      revenue_inr: {
        oneOf: [around([before], 0.05), around([before, ref("shown.creditedInr"), click], 0.05)],
      },
    },
    [
      {
        repeat: {
          times: 3,
          steps: [{ impression: { session_id: { numbered: "earning-" } }, as: "last" }],
        },
        as: "shown",
        expect: { ok: 3 },
      },
      clickOn("last", { as: "click", expect: { status: 200 } }),
    ],
  ),
});
