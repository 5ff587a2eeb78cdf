/** What a client must survive: its API key is replaced while events are in flight. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "key-rotation",
  about:
    "The API key is rotated while events are on their way. The old key gets 401 at once and for good. Impressions recorded with the old key stay, and can be clicked with the new one. The client sends refused events again, and they count once.",
  steps: [
    { impression: { session_id: "before" }, as: "before", expect: { status: 200 } },
    {
      stats: {},
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
    { rotateKey: {}, as: "rotation" },
    {
      expect: { of: "rotation.apiKey", is: { not: { ref: "rotation.oldKey" } } },
      note: "Another key, of course.",
    },
    {
      impression: { session_id: "mid-flight" },
      key: { ref: "rotation.oldKey" },
      note: "It was on its way when the key was rotated.",
      expect: {
        status: 401,
        headers: {
          "www-authenticate": { startsWith: "Bearer" },
          "content-type": "application/problem+json",
          "x-ratelimit-remaining": "10000",
        },
        body: { status: 401, code: "unauthorized" },
      },
    },
    {
      parallel: {
        steps: [
          {
            impression: { session_id: "parallel-1" },
            key: { ref: "rotation.oldKey" },
            expect: { status: 401 },
          },
          { impression: { session_id: "parallel-2" }, expect: { status: 200 } },
          {
            click: { impression_id: { ref: "before.impression_id" } },
            key: { ref: "rotation.oldKey" },
            expect: { status: 401 },
          },
          { stats: {}, key: { ref: "rotation.oldKey" }, expect: { status: 401 } },
          { payouts: {}, key: { ref: "rotation.oldKey" }, expect: { status: 401 } },
          { surfaces: {}, key: { ref: "rotation.oldKey" }, expect: { status: 401 } },
        ],
      },
      as: "together",
      note: "Half of the client already has the new key.",
      expect: { sent: 6, ok: 1, refused: 5, statuses: { "200": 1, "401": 5 } },
    },
    {
      impression: { session_id: "mid-flight" },
      as: "retried",
      note: "What was refused counts now. Refusals with a dead key cost the publisher no quota.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9997" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0.000001 } },
      },
    },
    {
      impression: { session_id: "before" },
      note: "What was recorded with the old key is still recognised.",
      expect: {
        status: 200,
        body: { impression_id: { ref: "before.impression_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      click: { impression_id: { ref: "before.impression_id" } },
      as: "click",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9995" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } },
      },
    },
    {
      stats: {},
      note: "The reporting limit is per key: the new one has all of it.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
    { rotateKey: {}, as: "second" },
    {
      surfaces: {},
      key: { ref: "rotation.apiKey" },
      note: "Rotated once more: neither of the two earlier keys is valid.",
      expect: { status: 401 },
    },
    { surfaces: {}, key: { ref: "rotation.oldKey" }, expect: { status: 401 } },
    { surfaces: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } } },
    { assume: { "auth.failure": "403" }, note: "This service refuses it in another way." },
    {
      surfaces: {},
      key: { ref: "rotation.oldKey" },
      expect: {
        status: 403,
        headers: { "www-authenticate": { absent: true } },
        body: { code: "unauthorized" },
      },
    },
    {
      publisher: 1,
      impression: {},
      note: "All other keys still work.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "9999" } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 3,
        clicks: 1,
        revenue_inr: {
          sum: [
            { ref: "before.revenue_credited_inr" },
            { ref: "together.creditedInr" },
            { ref: "retried.revenue_credited_inr" },
            { ref: "click.revenue_credited_inr" },
          ],
        },
      },
    },
    {
      audit: {
        balanced: true,
        total: { impressions: { attempts: 7, applied: 4, refused: 2, duplicatesSuppressed: 1 } },
        withoutKey: { attempts: 3, refused: 3, applied: 0, clicks: { refused: 1 } },
      },
    },
  ],
});
