/** Random command sequences that record: which impressions and clicks count, and what they earn. */

import { test } from "vitest";
import { expectCampaign } from "./campaign.ts";

const name =
  "the oracle predicts what counts and what it earns, and every run keeps the invariants";

test(name, { timeout: 240_000 }, () => {
  expectCampaign({
    test: name,
    file: "test/properties/campaign-recording.test.ts",
    sequences: 255,
    leastSequences: 85,
    mostCommands: 40,
    about: [
      "auth.key-scope",
      "limit.algorithm",
      "dedup.key",
      "dedup.window",
      "dedup.repeat",
      "click.unknown",
      "click.repeat",
      "click.window",
      "surface.unknown",
      "surface.inactive",
      "surface.statuses",
      "money.precision",
    ],
    weights: { impression: 40, click: 24, stats: 8, "dedup-edge": 6, "click-edge": 6 },
    unusualOneIn: 12,
    places: [
      "a duplicate impression",
      "a duplicate on another surface",
      "a duplicate with another ad",
      "a duplicate suppressed at W-1",
      "a duplicate after years",
      "a fresh impression at W",
      "a fresh impression at W beside a later one",
      "an impression on an unknown surface",
      "an impression on a surface that isn't active",
      "an impression that isn't credited",
      "a surface listed that isn't active",
      "a second click",
      "a second click that counts",
      "a click on another day",
      "a click on nothing",
      "a click on a foreign impression",
      "a click with a truncated id",
      "a click with a mistyped id",
      "a click in the last millisecond",
      "a click at the window's end",
      "a click that is too late",
      "a key that serves another publisher",
      "an amount rounded up",
      "an amount rounded down",
    ],
  });
});
