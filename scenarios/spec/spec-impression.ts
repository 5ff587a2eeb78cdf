/** What a service must do: an impression is answered with its id and its credit (§2). */

import { defineScenario } from "../../src/scenario.ts";
import { noFailure, ok } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-impression",
  about:
    "An impression gets an id of its own and a credit that isn't negative, whatever the ad and the session. Two without a session id are two, for there is nothing to recognise the second by. No session id makes the service fail.",
  steps: [
    {
      impression: { session_id: "shown" },
      expect: ok({ ok: true, revenue_credited_inr: { atLeast: 0 } }),
    },
    {
      repeat: {
        times: 3,
        steps: [
          { impression: { session_id: { numbered: "shown-" } } },
          { impression: { session_id: { numbered: "seen-" }, ad_id: { numbered: "ad-" } } },
          { impression: {} },
        ],
      },
      expect: { sent: 9, ok: 9, differentIds: 9 },
    },
    { impression: { session_id: "नमस्ते 🙏" }, expect: noFailure },
  ],
  expectations: [{ invariant: "H1" }, { invariant: "M3" }],
});
