/** Random command sequences, long ones, under any choice of every key. */

import { test } from "vitest";
import type { AssumptionKey } from "../../src/index.ts";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { expectCampaign } from "./campaign.ts";

const name =
  "the oracle predicts every answer, and every run keeps the invariants, under any assumptions";

test(name, { timeout: 240_000 }, () => {
  expectCampaign({
    test: name,
    file: "test/properties/campaign.test.ts",
    sequences: 85,
    mostCommands: 90,
    // The catalogue's own names are its keys.
    about: Object.keys(catalogue) as AssumptionKey[],
    weights: {},
    unusualOneIn: 8,
    places: [
      "a reset",
      "a restored snapshot",
      "a fork that goes on",
      "a sign-up",
      "a key that was rotated away",
      "a midnight crossed",
      "a leap day",
      "a year's end crossed",
      "a period across a year's end",
      "a click on another day",
      "a duplicate after years",
    ],
  });
});
