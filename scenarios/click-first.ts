/** What a client must survive: a click that arrives before its impression, which the service doesn't know yet. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "click-first",
  about:
    "An impression doesn't get through, and the client sends the click on it under an id that it made up. The service doesn't keep that click: once the impression is recorded, the client must send the click again, and it counts once.",
  faults: [
    {
      id: "unavailable",
      match: { operation: "impression", nth: 1 },
      verdict: { kind: "respond", status: 503, headers: { "retry-after": "2" } },
    },
  ],
  steps: [
    {
      impression: { session_id: "visit-1" },
      as: "refused",
      note: "The impression doesn't get through …",
      expect: { status: 503, headers: { "retry-after": "2", "x-ratelimit-remaining": "10000" } },
    },
    {
      click: { impression_id: "pending-visit-1" },
      as: "early",
      note: "… and the user has clicked already.",
      expect: {
        status: 404,
        headers: { "x-ratelimit-remaining": "9999" },
        body: { code: "impression_not_found", parameter: "impression_id" },
      },
    },
    { advance: { retryAfterOf: "refused" } },
    {
      impression: { session_id: "visit-1" },
      as: "shown",
      note: "Now it does. The early click isn't credited along with it.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9998" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0 } },
      },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: { impressions: 1, clicks: 0, revenue_inr: { ref: "shown.revenue_credited_inr" } },
      },
    },
    {
      click: { impression_id: "pending-visit-1" },
      note: "The made-up id is still unknown.",
      expect: { status: 404 },
    },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      note: "With the id that the service gave, the click counts.",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 1,
        clicks: 1,
        revenue_inr: {
          sum: [{ ref: "shown.revenue_credited_inr" }, { ref: "click.revenue_credited_inr" }],
        },
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          impressions: { attempts: 2, injected: 1, applied: 1 },
          clicks: { attempts: 3, applied: 1, refused: 2 },
        },
      },
    },
  ],
});
