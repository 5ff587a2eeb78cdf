/** What a client must survive: an event is recorded, and the answer never comes. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "lost-ack",
  about:
    "An impression is recorded but its answer is lost, and then the same happens to a click. The client sends both again, the impression with the same session id, and nothing is counted twice. Without a session id the impression is counted twice.",
  faults: [
    {
      id: "lose-impression",
      match: { operation: "impression", nth: [1, 4] },
      verdict: { kind: "lose-response" },
    },
    {
      id: "lose-click",
      match: { operation: "click", nth: 1 },
      verdict: { kind: "lose-response", as: "reset" },
    },
  ],
  steps: [
    {
      impression: { session_id: "s-1" },
      note: "It is recorded, but no answer arrives.",
      expect: { outcome: "lost" },
    },
    {
      impression: { session_id: "s-1" },
      as: "again",
      note: "The retry learns the id. What was earned is in the stats.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9998" },
        body: { ok: true, revenue_credited_inr: 0 },
      },
    },
    {
      click: { impression_id: { ref: "again.impression_id" } },
      expect: { outcome: "lost" },
    },
    {
      click: { impression_id: { ref: "again.impression_id" } },
      as: "clickedAgain",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9996" },
        body: { ok: true, revenue_credited_inr: 0 },
      },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: { impressions: 1, clicks: 1, revenue_inr: { atLeast: 0.01 } },
      },
    },
    {
      assume: { "dedup.repeat": "replay", "click.repeat": "replay" },
      note: "This service gives the first answer again, which says what was earned.",
    },
    {
      impression: { session_id: "s-1" },
      as: "replayed",
      expect: {
        status: 200,
        body: {
          impression_id: { ref: "again.impression_id" },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
    {
      click: { impression_id: { ref: "again.impression_id" } },
      as: "clickReplayed",
      expect: {
        status: 200,
        body: {
          click_id: { ref: "clickedAgain.click_id" },
          revenue_credited_inr: { atLeast: 0.01 },
        },
      },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: {
          impressions: 1,
          clicks: 1,
          revenue_inr: {
            sum: [
              { ref: "replayed.revenue_credited_inr" },
              { ref: "clickReplayed.revenue_credited_inr" },
            ],
          },
        },
      },
    },
    { impression: {}, note: "Without a session id …", expect: { outcome: "lost" } },
    {
      impression: {},
      as: "doubled",
      note: "… a retry is another impression.",
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: "again.impression_id" } },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
  ],
  expectations: [
    { stats: { from: "2026-01-15" }, is: { impressions: 3, clicks: 1 } },
    {
      audit: {
        balanced: true,
        total: {
          attempts: 8,
          answered: 5,
          lost: 3,
          dropped: 0,
          duplicatesSuppressed: 4,
          impressions: { applied: 3, unseen: 2, lost: 2 },
          clicks: { applied: 1, unseen: 1, lost: 1, creditedSeenInr: 0 },
        },
      },
    },
  ],
});
