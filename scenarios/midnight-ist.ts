/** What a client must survive: the service's day begins at 18:30 UTC. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "midnight-ist",
  about:
    "The service counts days in Indian time: they begin at 18:30 UTC, and nothing happens at midnight UTC. A client that computes dates in UTC asks for the wrong day.",
  start: "2026-01-15T18:29:59.999Z",
  assumptions: { "date.timezone": "ist" },
  steps: [
    { impression: {}, as: "lastOfThe15th", expect: { status: 200 } },
    {
      stats: {},
      expect: { status: 200, body: { period: { from: "2025-12-16", to: "2026-01-15" } } },
    },
    { advance: "1ms" },
    { impression: {}, as: "firstOfThe16th", expect: { status: 200 } },
    {
      click: { impression_id: { ref: "lastOfThe15th.impression_id" } },
      as: "clickAfterMidnight",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.01 } } },
    },
    {
      stats: {},
      note: "In UTC it is still the 15th.",
      expect: { status: 200, body: { period: { from: "2025-12-17", to: "2026-01-16" } } },
    },
    { advance: { to: "2026-01-15T23:59:59.999Z" } },
    { impression: {}, as: "beforeMidnightUtc", expect: { status: 200 } },
    { advance: "1ms" },
    { impression: {}, as: "afterMidnightUtc", expect: { status: 200 } },
    {
      stats: {},
      note: "Midnight UTC changes nothing.",
      expect: { status: 200, body: { period: { from: "2025-12-17", to: "2026-01-16" } } },
    },
    { advance: { to: "2026-01-16T18:29:59.999Z" } },
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
        impressions: 4,
        clicks: 1,
        revenue_inr: {
          sum: [
            { ref: "firstOfThe16th.revenue_credited_inr" },
            { ref: "clickAfterMidnight.revenue_credited_inr" },
            { ref: "beforeMidnightUtc.revenue_credited_inr" },
            { ref: "afterMidnightUtc.revenue_credited_inr" },
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
    { audit: { total: { applied: 7, refused: 0 }, balanced: true } },
  ],
});
