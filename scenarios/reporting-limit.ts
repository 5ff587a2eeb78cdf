/** What a client must survive: a dashboard sends the 61st stats request in a minute. The limit applies to the key. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "reporting-limit",
  about:
    "A client sends 61 stats requests in a minute, and the 61st is refused. The three GET endpoints share one limit; impressions and clicks have another. The limit belongs to the API key: another key has its own limit, and a rotated key starts anew. If any key works for every publisher, a request still counts against the limit of the key that sent it.",
  steps: [
    { stats: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } } },
    { surfaces: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": "58" } } },
    { payouts: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": "57" } } },
    {
      stats: { from: "no date" },
      note: "What is refused for another reason counts too.",
      expect: { status: 400, headers: { "x-ratelimit-remaining": "56" } },
    },
    {
      repeat: { times: 56, every: "500ms", steps: [{ stats: {}, as: "sixtieth" }] },
      as: "dashboard",
      expect: { sent: 56, ok: 56 },
    },
    { expect: { answer: "sixtieth", headers: { "x-ratelimit-remaining": "0" } } },
    {
      stats: {},
      as: "sixtyFirst",
      note: "28 seconds into the minute.",
      expect: {
        status: 429,
        headers: { "retry-after": "32", "x-ratelimit-remaining": "0" },
        body: { code: "rate_limited" },
      },
    },
    { surfaces: {}, expect: { status: 429, headers: { "retry-after": "32" } } },
    { payouts: {}, expect: { status: 429, headers: { "retry-after": "32" } } },
    {
      impression: {},
      note: "Recording goes on.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "9999" } },
    },
    {
      repeat: { times: 60, steps: [{ stats: {}, publisher: 1, as: "lastOfOtherKey" }] },
      as: "otherKey",
      note: "The second key has 60 of its own.",
      expect: { sent: 60, ok: 60 },
    },
    { expect: { answer: "lastOfOtherKey", headers: { "x-ratelimit-remaining": "0" } } },
    { stats: {}, publisher: 1, expect: { status: 429, headers: { "retry-after": "32" } } },
    { rotateKey: {}, as: "rotation", note: "A new key starts afresh; the old one is dead." },
    { stats: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } } },
    { stats: {}, key: { ref: "rotation.oldKey" }, expect: { status: 401 } },
    { assume: { "auth.key-scope": "any" } },
    {
      stats: { publisher_id: { ref: "publishers.0.id" } },
      publisher: 1,
      note: "If keys serve any publisher, the key's own quota is still spent.",
      expect: { status: 429, headers: { "x-ratelimit-remaining": "0", "retry-after": "32" } },
    },
    {
      stats: { publisher_id: { ref: "publishers.1.id" } },
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "58" },
        body: { publisher_id: { ref: "publishers.1.id" } },
      },
    },
    { advance: { retryAfterOf: "sixtyFirst" } },
    {
      stats: {},
      publisher: 1,
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
  ],
  expectations: [
    { stats: { from: "2026-01-15" }, is: { impressions: 1 } },
    { audit: { total: { attempts: 1, applied: 1, refused: 0 }, balanced: true } },
  ],
});
