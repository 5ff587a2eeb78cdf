/** What a client must survive: a rate limit without status 429, with a web page, plain text or nothing as the body. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "limit-as-html",
  about:
    "A client over the limit gets 503 with an HTML page, as from a proxy in front of the service; then 403 with plain text, and 429 without a body. It must not parse any of these, must not take them for an outage or a wrong key, and must come back after Retry-After.",
  assumptions: { "limit.exceeded": "503", "errors.body": "html" },
  steps: [
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      stats: {},
      as: "page",
      expect: {
        status: 503,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "retry-after": "60",
          "x-ratelimit-remaining": "0",
        },
        text: { startsWith: "<!doctype html>" },
      },
    },
    {
      impression: {},
      as: "recorded",
      note: "The service is not down.",
      expect: { status: 200, headers: { "content-type": "application/json" } },
    },
    { assume: { "limit.exceeded": "403", "errors.body": "text" } },
    {
      stats: {},
      note: "The key still works.",
      expect: {
        status: 403,
        headers: {
          "content-type": "text/plain; charset=utf-8",
          "retry-after": "60",
          "x-ratelimit-remaining": "0",
        },
        text: { contains: "60" },
      },
    },
    {
      stats: { publisher_id: { ref: "publishers.1.id" } },
      note: "Within its limit the same status means something else, and there is no Retry-After.",
      publisher: 2,
      expect: {
        status: 403,
        headers: { "retry-after": { absent: true }, "x-ratelimit-remaining": "59" },
      },
    },
    { assume: { "limit.exceeded": "429", "errors.body": "empty" } },
    {
      stats: {},
      expect: {
        status: 429,
        headers: {
          "content-type": { absent: true },
          "retry-after": "60",
          "x-ratelimit-remaining": "0",
        },
        text: "",
      },
    },
    { advance: { retryAfterOf: "page", less: "1s" } },
    { stats: {}, expect: { status: 429, headers: { "retry-after": "1" } } },
    { advance: { retryAfterOf: "page" } },
    {
      stats: { from: "2026-01-15" },
      expect: {
        status: 200,
        headers: {
          "content-type": "application/json",
          "retry-after": { absent: true },
          "x-ratelimit-remaining": "59",
        },
        body: { impressions: 1, revenue_inr: { ref: "recorded.revenue_credited_inr" } },
      },
    },
  ],
  expectations: [{ audit: { total: { attempts: 1, applied: 1 }, balanced: true } }],
});
