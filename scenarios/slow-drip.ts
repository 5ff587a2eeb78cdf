/** What a client must survive: an answer that arrives byte by byte and may take longer than the client waits. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "slow-drip",
  about:
    "Answers come one byte at a time. A client that waits gets them whole, including characters of several bytes. A client that gives up in the middle sends the event again under its session id.",
  faults: [
    {
      id: "drip",
      match: { operation: "impression", nth: [1, 2] },
      verdict: { kind: "drip", bytesPerSecond: 250 },
    },
    {
      id: "drip-names",
      match: { operation: "surfaces", nth: 1 },
      verdict: { kind: "drip", bytesPerSecond: 1000 },
    },
    {
      id: "drip-refusal",
      match: { operation: "click", nth: 1 },
      verdict: { kind: "drip", bytesPerSecond: 1000 },
    },
  ],
  steps: [
    {
      signUp: {
        surfaces: [
          { name: "サイドバー 広告枠", cpmRange: [40, 40] },
          { name: "🧑‍🚀 पट्टी", cpmRange: [40, 40] },
        ],
      },
      as: "station",
    },
    {
      publisher: "station",
      impression: { session_id: "patient" },
      as: "patient",
      timeout: "5s",
      note: "About 300 ms for 77 bytes: with patience it is an answer like any other.",
      expect: {
        status: 200,
        headers: { "content-type": "application/json", "x-ratelimit-remaining": "9999" },
        body: { ok: true, impression_id: { type: "string" }, revenue_credited_inr: 0.04 },
      },
    },
    {
      publisher: "station",
      impression: { session_id: "impatient" },
      timeout: "100ms",
      note: "Given up in the middle of the body. The head said 200.",
      expect: { outcome: "timed-out" },
    },
    {
      publisher: "station",
      impression: { session_id: "impatient" },
      as: "again",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9997" },
        body: {
          ok: true,
          impression_id: { not: { ref: "patient.impression_id" } },
          revenue_credited_inr: 0,
        },
      },
    },
    {
      publisher: "station",
      surfaces: {},
      timeout: "5s",
      note: "Most characters of these names arrive in pieces.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "59" },
        body: {
          surfaces: [
            { id: { ref: "station.surfaces.0.id" }, name: "サイドバー 広告枠", status: "active" },
            { id: { ref: "station.surfaces.1.id" }, name: "🧑‍🚀 पट्टी", cpm_range: [40, 40] },
          ],
        },
      },
    },
    {
      publisher: "station",
      click: { impression_id: "none" },
      timeout: "5s",
      note: "A refusal can be slow, too.",
      expect: { status: 404, body: { status: 404, code: "impression_not_found" } },
    },
    {
      publisher: "station",
      click: { impression_id: { ref: "again.impression_id" } },
      as: "click",
      note: "The impression that was given up can be clicked.",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.01 } } },
    },
  ],
  expectations: [
    {
      publisher: "station",
      stats: {},
      is: {
        impressions: 2,
        clicks: 1,
        revenue_inr: { sum: [0.04, 0.04, { ref: "click.revenue_credited_inr" }] },
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          attempts: 5,
          answered: 4,
          lost: 1,
          dropped: 0,
          impressions: {
            applied: 2,
            unseen: 1,
            duplicatesSuppressed: 1,
            creditedSeenInr: 0.04,
            creditedUnseenInr: 0.04,
          },
          clicks: { applied: 1, refused: 1 },
        },
      },
    },
  ],
});
