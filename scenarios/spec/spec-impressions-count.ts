/** What a service must do: the stats count each impression once (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { grown, ref, statsAround } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-impressions-count",
  about:
    "After three impressions the stats have up to three more: fewer if today isn't included yet or the stats lag behind, and never more. They have no click more.",
  steps: statsAround(
    {
      impressions: { between: [ref("before.impressions"), grown("impressions", 3)] },
      clicks: ref("before.clicks"),
    },
    [
      {
        repeat: { times: 3, steps: [{ impression: { session_id: { numbered: "counted-" } } }] },
        expect: { ok: 3 },
      },
    ],
  ),
});
