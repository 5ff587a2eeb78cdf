/** What a client must survive: an impression is recorded, and the answer never comes. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "lost-ack",
  about:
    "An impression is recorded and its answer is lost. The client sends it again with the same session id, and nothing is counted twice.",
  faults: [
    {
      id: "lose",
      match: { operation: "impression", nth: 1 },
      verdict: { kind: "lose-response" },
    },
  ],
  steps: [
    { impression: { session_id: "s-1" }, expect: { outcome: "lost" } },
    {
      impression: { session_id: "s-1" },
      as: "again",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: 0 } },
    },
    { click: { impression_id: { ref: "again.impression_id" } }, expect: { status: 200 } },
  ],
  expectations: [
    { stats: { from: "2026-01-15" }, is: { impressions: 1, clicks: 1 } },
    { audit: { total: { lost: 1, duplicatesSuppressed: 1 }, balanced: true } },
  ],
});
