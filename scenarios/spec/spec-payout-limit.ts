/** What a service must do: a limit bounds the list of payouts, and 100 is its maximum (§4, §8). */

import { defineScenario } from "../../src/scenario.ts";
import { noFailure, ok } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-payout-limit",
  about:
    "No list is longer than its limit. A limit above 100 is refused or counts as 100: no list has more than 100 payouts. The same goes for a limit that makes no sense: it is refused, or the list has at most 100 payouts, and the service doesn't fail.",
  steps: [
    { payouts: { limit: 1 }, expect: ok({ payouts: { length: { atMost: 1 } } }) },
    { payouts: { limit: 100 }, expect: { status: 200 } },
    { payouts: { limit: 101 }, expect: noFailure },
    { payouts: { limit: 1000 }, expect: noFailure },
    { payouts: { limit: -1 }, expect: noFailure },
    { payouts: { limit: "many" }, expect: noFailure },
  ],
  expectations: [{ invariant: "H1" }],
});
