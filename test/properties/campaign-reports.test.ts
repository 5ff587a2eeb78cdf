/** Random command sequences that read: stats of any period, and payouts as time goes by. */

import { test } from "vitest";
import { expectCampaign } from "./campaign.ts";

const name = "the oracle predicts every report and payout, and every run keeps the invariants";

test(name, { timeout: 240_000 }, () => {
  expectCampaign({
    test: name,
    file: "test/properties/campaign-reports.test.ts",
    sequences: 255,
    mostCommands: 40,
    about: [
      "auth.key-scope",
      "limit.algorithm",
      "surface.unknown",
      "payout.statuses",
      "payout.limit-over-max",
      "payout.order",
      "date.timezone",
      "date.inverted-range",
      "stats.today",
      "stats.surfaces",
      "money.precision",
    ],
    weights: {
      impression: 20,
      click: 8,
      stats: 24,
      payouts: 12,
      "payout-edge": 12,
      overnight: 5,
      advance: 22,
    },
    unusualOneIn: 12,
    places: [
      "an inverted period",
      "an inverted period that is empty",
      "a period across a year's end",
      "a period that reaches past today",
      "stats of an unknown surface",
      "a surface without a row",
      "today's traffic that is hidden",
      "traffic that shows a day later",
      "a payout",
      "a rollover",
      "more payouts than the limit",
      "a payout that is processing",
      "a payout that is on_hold",
      "a payout that is failed",
      "a payout that is paid",
      "a payout that is reversed",
      "a txn_id that is empty",
      "a txn_id that is missing",
      "a midnight crossed",
      "a leap day",
      "a year's end crossed",
      "an amount rounded up",
      "an amount rounded down",
    ],
  });
});
