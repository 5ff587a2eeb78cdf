/** What a client must survive: events one millisecond before and after midnight belong to different days. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "midnight-utc",
  about:
    "Events one millisecond before and after midnight UTC belong to different days. A click belongs to the day of the click. A client that sums by its own clock or time zone gets other figures than the service.",
  start: "2026-01-15T23:59:59.999Z",
  steps: [
    { impression: {}, as: "lastOfThe15th", expect: { status: 200 } },
    {
      stats: {},
      note: "The default period ends today, which is still the 15th.",
      expect: {
        status: 200,
        body: { period: { from: "2025-12-16", to: "2026-01-15" } },
      },
    },
    { advance: "1ms" },
    { impression: {}, as: "firstOfThe16th", expect: { status: 200 } },
    {
      click: { impression_id: { ref: "lastOfThe15th.impression_id" } },
      as: "clickAfterMidnight",
      note: "The impression is of the 15th, its click of the 16th.",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.01 } } },
    },
    {
      stats: {},
      note: "The default period has moved on by a day.",
      expect: { status: 200, body: { period: { from: "2025-12-17", to: "2026-01-16" } } },
    },
    { advance: { to: "2026-01-16T23:59:59.999Z" } },
    { impression: {}, as: "lastOfThe16th", expect: { status: 200 } },
    { advance: "1ms" },
    { impression: {}, as: "firstOfThe17th", expect: { status: 200 } },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      is: {
        impressions: 1,
        clicks: 0,
        revenue_inr: { ref: "lastOfThe15th.revenue_credited_inr" },
      },
    },
    {
      stats: { from: "2026-01-16", to: "2026-01-16" },
      is: {
        impressions: 2,
        clicks: 1,
        revenue_inr: {
          sum: [
            { ref: "firstOfThe16th.revenue_credited_inr" },
            { ref: "clickAfterMidnight.revenue_credited_inr" },
            { ref: "lastOfThe16th.revenue_credited_inr" },
          ],
        },
      },
    },
    {
      stats: { from: "2026-01-17", to: "2026-01-17" },
      is: {
        impressions: 1,
        clicks: 0,
        revenue_inr: { ref: "firstOfThe17th.revenue_credited_inr" },
      },
    },
    { stats: { from: "2026-01-15", to: "2026-01-17" }, is: { impressions: 4, clicks: 1 } },
    { audit: { total: { applied: 5, refused: 0 }, balanced: true } },
  ],
});
