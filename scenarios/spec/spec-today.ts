/** What a service must do: the stats of a period that ends today have today's events (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { clickOn, grown, statsAround } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-today",
  about:
    "The default period ends today, so the stats have an impression and a click as soon as they are recorded. It is for services whose stats are live: say so with the assumption stats.today.",
  assumptions: { "stats.today": "live" },
  steps: statsAround({ impressions: grown("impressions", 1), clicks: grown("clicks", 1) }, [
    { impression: { session_id: "today" }, as: "shown", expect: { status: 200 } },
    clickOn("shown", { expect: { status: 200 } }),
  ]),
});
