/** What a service must do: a click on an impression that doesn't exist earns nothing (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { ref } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-unknown-click",
  about:
    "A click names the impression_id that the impression endpoint returned. Clicks on ids that it never returned earn nothing, whatever their answer is, and don't make the service fail.",
  steps: [
    {
      parallel: {
        steps: [
          { click: { impression_id: "no-such-impression" } },
          { click: { impression_id: "00000000-0000-4000-8000-000000000000" } },
          { click: { impression_id: ref("publishers.0.surfaces.0.id") } },
        ],
      },
      expect: { sent: 3, creditedInr: 0, failed: 0 },
    },
  ],
});
