/** What a client must survive: outages that come and go, until the service recovers. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "flapping",
  about:
    "For two minutes of every ten the service is down: first connections are reset, later requests get 503. A client that keeps what wasn't acknowledged and sends it again loses nothing and counts nothing twice.",
  // The window must still recognise events that were queued for an hour.
  assumptions: { "dedup.window": "24h" },
  faults: [
    {
      id: "outage",
      match: { until: "2026-01-15T00:20:00Z", repeat: { for: "2m", every: "10m" } },
      verdict: { kind: "reset" },
    },
    {
      id: "overload",
      match: { from: "2026-01-15T00:20:00Z", repeat: { for: "2m", every: "10m" } },
      verdict: { kind: "respond", status: 503, headers: { "retry-after": "120" } },
    },
  ],
  steps: [
    {
      repeat: {
        times: 80,
        every: "30s",
        steps: [{ impression: { session_id: { numbered: "visit-" } } }],
      },
      as: "flapping",
      note: "40 minutes, four outages of four events each.",
      expect: {
        sent: 80,
        ok: 64,
        lost: 8,
        failed: 8,
        statuses: { "200": 64, "503": 8 },
        differentIds: 64,
      },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: { impressions: 64, revenue_inr: { ref: "flapping.creditedInr" } },
      },
    },
    {
      impression: { session_id: "in-outage" },
      as: "refused",
      note: "A fifth outage begins.",
      expect: { status: 503, headers: { "retry-after": "120", "x-ratelimit-remaining": "10000" } },
    },
    { advance: { retryAfterOf: "refused", less: 1 } },
    {
      impression: { session_id: "in-outage" },
      note: "Its last millisecond: too early.",
      expect: { status: 503, headers: { "retry-after": "120" } },
    },
    { advance: 1 },
    {
      impression: { session_id: "in-outage" },
      as: "recovered",
      note: "A client that waits as long as it was told gets through at once.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9999" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0.000001 } },
      },
    },
    { advance: { to: "2026-01-15T00:50:00Z" } },
    { impression: { session_id: "healed" }, expect: { status: 503 } },
    { heal: "all", note: "The sixth outage is cut short: it is repaired for good." },
    {
      impression: { session_id: "healed" },
      as: "healed",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.000001 } } },
    },
    {
      repeat: {
        times: 80,
        steps: [{ impression: { session_id: { numbered: "visit-" } } }],
      },
      as: "caughtUp",
      note: "The client sends all that it has kept, acknowledged or not.",
      expect: { sent: 80, ok: 80, differentIds: 80, lost: 0, failed: 0 },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 82,
        clicks: 0,
        revenue_inr: {
          sum: [
            { ref: "flapping.creditedInr" },
            { ref: "recovered.revenue_credited_inr" },
            { ref: "healed.revenue_credited_inr" },
            { ref: "caughtUp.creditedInr" },
          ],
        },
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          impressions: {
            attempts: 165,
            answered: 146,
            dropped: 8,
            injected: 11,
            lost: 0,
            applied: 82,
            duplicatesSuppressed: 64,
          },
        },
      },
    },
  ],
});
