/** What a client must survive: the limit is used up in a second, and everything is refused for the rest of the minute. */

import { defineScenario } from "../src/scenario.ts";
import { clickOn, leaves, overLimit, report } from "./words.ts";

export const scenario = defineScenario({
  name: "burst-to-limit",
  about:
    "10,001 impressions come in one second. The 10,000th is recorded; the next one gets 429, which says how long to wait. Clicks share the limit; GET requests and other publishers don't. A refused impression isn't recorded, and works after the wait.",
  steps: [
    {
      traffic: { for: "990ms", arrivals: { kind: "burst", count: 9999, within: "990ms" } },
      expect: { sent: 9999, ok: 9999, differentIds: 9999 },
    },
    { impression: {}, as: "tenThousandth", expect: leaves(0) },
    {
      impression: {},
      as: "oneTooMany",
      note: "59.01 seconds are left of the minute.",
      expect: { ...overLimit("60"), body: { code: "rate_limited" } },
    },
    { advance: "10ms" },
    clickOn("tenThousandth", {
      note: "Impressions and clicks count against one limit.",
      expect: overLimit("59"),
    }),
    {
      stats: { from: "2026-01-15" },
      note: "Reports have a limit of their own.",
      expect: { ...leaves(59), body: { impressions: 10000, clicks: 0 } },
    },
    { impression: {}, publisher: 1, note: "So has every publisher.", expect: leaves(9999) },
    { advance: { retryAfterOf: "oneTooMany", less: "1s" } },
    { impression: {}, expect: overLimit("1") },
    { advance: { retryAfterOf: "oneTooMany" } },
    { impression: {}, expect: leaves(9999) },
    clickOn("tenThousandth", { expect: leaves(9998) }),
  ],
  expectations: [report(["2026-01-15"], { impressions: 10001, clicks: 1 })],
});
