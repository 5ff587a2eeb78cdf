/** What a service must do: a click is answered with its id and its credit (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { clickOn, ok, ref } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-click",
  about:
    "A click on an impression that was just recorded gets an id of its own and a credit that isn't negative.",
  steps: [
    { impression: { session_id: "clicked" }, as: "first", expect: { status: 200 } },
    { impression: { session_id: "clicked, too" }, as: "second", expect: { status: 200 } },
    clickOn("first", {
      as: "click",
      expect: ok({ ok: true, revenue_credited_inr: { atLeast: 0 } }),
    }),
    clickOn("second", { expect: ok({ click_id: { not: ref("click.click_id") } }) }),
  ],
  expectations: [{ invariant: "H1" }],
});
