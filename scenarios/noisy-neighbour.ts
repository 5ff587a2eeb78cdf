/** What a client must survive: another publisher floods the service, and the client must not notice. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "noisy-neighbour",
  about:
    "One publisher floods the service: in a minute it sends 12,000 impressions and 70 GET requests, of which 2,000 and 10 are refused. Another publisher sends one request a second, and loses no request, no quota and no revenue.",
  publishers: 2,
  steps: [
    {
      setSurface: { publisher: 1, surface: 0, cpmRange: [20, 20] },
      note: "Each earns two paise, so the neighbour's revenue is easy to check.",
    },
    {
      repeat: {
        times: 12,
        steps: [
          {
            traffic: {
              for: "1s",
              publishers: [0],
              arrivals: { kind: "burst", count: 1000, within: "900ms" },
            },
            as: "flood",
          },
          {
            impression: { session_id: { numbered: "visit-" } },
            publisher: 1,
            as: "quiet",
            expect: { status: 200, body: { ok: true, revenue_credited_inr: 0.02 } },
          },
        ],
      },
      as: "minute",
      expect: { sent: 12012, ok: 10012, statuses: { "200": 10012, "429": 2000 } },
    },
    {
      expect: { of: "flood", is: { sent: 1000, ok: 0, statuses: { "429": 1000 } } },
      note: "By its twelfth second the neighbour has long used up its quota.",
    },
    {
      expect: { answer: "quiet", headers: { "x-ratelimit-remaining": "9988" } },
      note: "The quiet one has spent 12.",
    },
    {
      repeat: { times: 70, steps: [{ stats: {} }] },
      as: "floodOfReports",
      expect: { sent: 70, ok: 60, statuses: { "200": 60, "429": 10 } },
    },
    {
      stats: { from: "2026-01-15" },
      publisher: 1,
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "59" },
        body: { impressions: 12, clicks: 0, revenue_inr: 0.24 },
      },
    },
    {
      click: { impression_id: { ref: "quiet.impression_id" } },
      publisher: 1,
      as: "click",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "9987" } },
    },
    {
      impression: {},
      as: "floodStill",
      expect: { status: 429, headers: { "retry-after": "48", "x-ratelimit-remaining": "0" } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      publisher: 1,
      is: {
        impressions: 12,
        clicks: 1,
        revenue_inr: { sum: [0.24, { ref: "click.revenue_credited_inr" }] },
      },
    },
    { stats: { from: "2026-01-15" }, publisher: 0, is: { impressions: 10000, clicks: 0 } },
    {
      audit: {
        total: { attempts: 12014, applied: 10013, refused: 2001 },
        publishers: [
          { publisher: { ref: "publishers.0.id" }, applied: 10000, refused: 2001 },
          { publisher: { ref: "publishers.1.id" }, attempts: 13, applied: 13, refused: 0 },
        ],
        balanced: true,
      },
    },
  ],
});
