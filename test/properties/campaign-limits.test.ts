/** Random command sequences that flood, under every choice for the limits. At full size: limits.test.ts. */

import { test } from "vitest";
import { expectCampaign } from "./campaign.ts";

const name = "the oracle predicts which requests are limited, and every run keeps the invariants";

test(name, { timeout: 240_000 }, () => {
  expectCampaign({
    test: name,
    file: "test/properties/campaign-limits.test.ts",
    sequences: 165,
    leastSequences: 56,
    mostCommands: 30,
    about: [
      "auth.key-scope",
      "errors.body",
      "limit.algorithm",
      "limit.exceeded",
      "limit.retry-after",
      "limit.recording-pool",
      "limit.reporting-endpoints",
    ],
    weights: { flood: 16, stats: 16, impression: 14, advance: 22 },
    unusualOneIn: 6,
    places: [
      "a refusal by fixed-window",
      "a refusal by sliding-log",
      "a refusal by token-bucket",
      "a Retry-After as seconds",
      "a Retry-After as http-date",
      "a Retry-After as absent",
      "a key that serves another publisher",
    ],
  });
});
