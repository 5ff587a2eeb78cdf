/** What a service must do: the list of payouts has all their fields (§2, §4). */

import { defineScenario } from "../../src/scenario.ts";
import { ok, ref } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-payouts",
  about:
    "Every payout has its fields, and the pending amount is a number. Without a limit at most 20 payouts are listed, the same as with a limit of 20.",
  steps: [
    {
      payouts: {},
      as: "usual",
      expect: ok({ payouts: { length: { atMost: 20 } }, pending_inr: { type: "number" } }),
    },
    { payouts: { limit: 20 }, expect: ok({ payouts: ref("usual.payouts") }) },
  ],
  expectations: [{ invariant: "H1" }],
});
