/** What a client must survive: a whole day at four fifths of the limit, with no request refused. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "busy-day",
  about:
    "One publisher sends 80 % of its limit for 24 hours, along the curve of a usual day: 11.5 million impressions, and a click on one in a hundred. Nothing is refused, even at the peak. The sum of all credits equals the stats, exact to the micro-INR.",
  publishers: 1,
  steps: [
    {
      traffic: {
        for: "24h",
        arrivals: { kind: "daily", mean: "11520000/d" },
        clicks: { rate: 0.01, after: "2s" },
      },
      as: "day",
      expect: {
        operations: {
          impression: { sent: 11520000, ok: 11520000 },
          click: { sent: { atLeast: 1 } },
        },
        refused: 0,
        failed: 0,
        late: 0,
        dropped: 0,
      },
    },
    { expect: { of: "day.ok", is: { ref: "day.sent" } } },
    {
      stats: { from: "2026-01-15", to: "2026-01-16" },
      as: "reported",
      note: "The clicks on the last two seconds' impressions fall into the next day.",
      expect: {
        status: 200,
        body: {
          impressions: 11520000,
          clicks: { ref: "day.operations.click.ok" },
          revenue_inr: { ref: "day.creditedInr" },
        },
      },
    },
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      as: "fifteenth",
      expect: { status: 200, body: { impressions: 11520000 } },
    },
    {
      stats: { from: "2026-01-16", to: "2026-01-16" },
      as: "sixteenth",
      expect: {
        status: 200,
        body: { period: { from: "2026-01-16", to: "2026-01-16" }, impressions: 0 },
      },
    },
    {
      expect: {
        of: "reported",
        is: {
          clicks: { sum: [{ ref: "fifteenth.clicks" }, { ref: "sixteenth.clicks" }] },
          revenue_inr: {
            sum: [{ ref: "fifteenth.revenue_inr" }, { ref: "sixteenth.revenue_inr" }],
          },
        },
      },
    },
  ],
  expectations: [
    {
      audit: {
        total: {
          attempts: { ref: "day.sent" },
          applied: { ref: "day.ok" },
          duplicatesSuppressed: 0,
          refused: 0,
          creditedSeenInr: { ref: "day.creditedInr" },
          creditedRecordedInr: { ref: "day.creditedInr" },
        },
        balanced: true,
      },
    },
  ],
  thresholds: ["errors = 0%", "refused = 0%", "dropped = 0"],
});
