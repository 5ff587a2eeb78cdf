/** What a service must do: the stats count a click as a click, and as nothing else (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { clickOn, perhapsGrown, statsAround } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-clicks-count",
  about:
    "After one impression and one click the stats have one more of each, or as many as before if today isn't included yet.",
  steps: statsAround(
    { impressions: perhapsGrown("impressions", 1), clicks: perhapsGrown("clicks", 1) },
    [
      { impression: { session_id: "clicked" }, as: "shown", expect: { status: 200 } },
      clickOn("shown", { expect: { status: 200 } }),
    ],
  ),
});
