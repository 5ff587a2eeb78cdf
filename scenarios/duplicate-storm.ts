/** What a client must survive: an impression sent fifty times at once counts as one. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "duplicate-storm",
  about:
    "One impression is sent fifty times at once, as by a retry that never stops. It is recorded once and credited once, whether duplicates get the id of the original, the same bytes or 409. Only without a session id do all fifty count.",
  publishers: 1,
  steps: [
    {
      parallel: { times: 50, steps: [{ impression: { session_id: "storm" }, as: "copy" }] },
      as: "storm",
      expect: { sent: 50, ok: 50, differentIds: 1 },
    },
    {
      expect: { answer: "copy", body: { ok: true, revenue_credited_inr: 0 } },
      note: "The last one gets 0 credited.",
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: { impressions: 1, revenue_inr: { ref: "storm.creditedInr" } },
      },
    },
    {
      parallel: {
        times: 50,
        steps: [{ click: { impression_id: { ref: "copy.impression_id" } } }],
      },
      as: "clickStorm",
      note: "Whichever answer arrives, its id can be clicked, and once.",
      expect: { sent: 50, ok: 50, differentIds: 1 },
    },
    { assume: { "dedup.repeat": "replay" } },
    {
      parallel: { times: 50, steps: [{ impression: { session_id: "replayed" }, as: "replay" }] },
      as: "replayStorm",
      note: "Every answer shows the same single credit. Adding them up gives fifty times as much.",
      expect: { sent: 50, ok: 50, differentIds: 1 },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: {
          impressions: 2,
          clicks: 1,
          revenue_inr: {
            sum: [
              { ref: "storm.creditedInr" },
              { ref: "clickStorm.creditedInr" },
              { ref: "replay.revenue_credited_inr" },
            ],
          },
        },
      },
    },
    {
      expect: {
        of: "replayStorm.creditedInr",
        is: {
          sum: Array.from({ length: 50 }, () => ({ ref: "replay.revenue_credited_inr" as const })),
        },
      },
    },
    { assume: { "dedup.repeat": "conflict" } },
    {
      parallel: { times: 50, steps: [{ impression: { session_id: "refused" }, as: "conflict" }] },
      as: "conflictStorm",
      expect: { sent: 50, ok: 1, differentIds: 1, statuses: { "200": 1, "409": 49 } },
    },
    {
      expect: { answer: "conflict", status: 409, body: { code: "duplicate_impression" } },
      note: "It says that the event is on record: not to be sent again.",
    },
    { assume: { "dedup.repeat": "original-uncredited" } },
    {
      parallel: { times: 50, steps: [{ impression: {} }] },
      as: "withoutSession",
      note: "Nothing shows that these are the same.",
      expect: { sent: 50, ok: 50, differentIds: 50 },
    },
    {
      parallel: { times: 50, steps: [{ impression: { session_id: { numbered: "visit-" } } }] },
      as: "ownSessions",
      expect: { sent: 50, ok: 50, differentIds: 50 },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 103,
        clicks: 1,
        revenue_inr: {
          sum: [
            { ref: "storm.creditedInr" },
            { ref: "clickStorm.creditedInr" },
            { ref: "replay.revenue_credited_inr" },
            { ref: "conflictStorm.creditedInr" },
            { ref: "withoutSession.creditedInr" },
            { ref: "ownSessions.creditedInr" },
          ],
        },
      },
    },
    {
      audit: {
        total: {
          attempts: 300,
          impressions: { applied: 103, duplicatesSuppressed: 147 },
          clicks: { applied: 1, duplicatesSuppressed: 49 },
          refused: 0,
        },
        balanced: true,
      },
    },
  ],
});
