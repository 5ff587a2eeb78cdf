/** What a service must do: a period of one day is that day (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { ok } from "../words.ts";

const day = { from: { daysAgo: 3 }, to: { daysAgo: 3 } };

export const scenario = defineScenario({
  name: "spec-one-day",
  about:
    "A period that begins and ends on the same day is that day, and is answered like any other. Its totals are the sum of its surfaces.",
  steps: [{ stats: day, expect: ok({ period: day }) }],
  expectations: [{ invariant: "S2" }],
});
