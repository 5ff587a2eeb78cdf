/** What a service must do: a second click on one impression (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { clickOn, ok, perhapsGrown, ref, statsAround } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-second-click",
  about:
    "The same click is sent twice and counts once. It is for services that answer a second click with the first id and no credit: say so with the assumption click.repeat.",
  assumptions: { "click.repeat": "original-uncredited" },
  steps: statsAround({ clicks: perhapsGrown("clicks", 1) }, [
    { impression: { session_id: "clicked twice" }, as: "shown", expect: { status: 200 } },
    clickOn("shown", { as: "click", expect: { status: 200 } }),
    clickOn("shown", { expect: ok({ click_id: ref("click.click_id"), revenue_credited_inr: 0 }) }),
  ]),
});
