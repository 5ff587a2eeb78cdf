/** What a client must survive: the limit is used up in a second, and everything is refused for the rest of the minute. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "burst-to-limit",
  about:
    "10,001 impressions come in one second. The 10,000th is recorded; the next one gets 429, which says how long to wait. Clicks share the limit; GET requests and other publishers don't. A refused impression isn't recorded, and works after the wait.",
  steps: [
    {
      traffic: { for: "990ms", arrivals: { kind: "burst", count: 9999, within: "990ms" } },
      as: "burst",
      expect: { sent: 9999, ok: 9999, differentIds: 9999 },
    },
    {
      impression: {},
      as: "tenThousandth",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "0" } },
    },
    {
      impression: {},
      as: "oneTooMany",
      note: "59.01 seconds are left of the minute.",
      expect: {
        status: 429,
        headers: {
          "x-ratelimit-remaining": "0",
          "retry-after": "60",
          "content-type": { contains: "json" },
        },
        body: { code: "rate_limited", status: 429 },
      },
    },
    { advance: "10ms" },
    {
      click: { impression_id: { ref: "tenThousandth.impression_id" } },
      note: "Impressions and clicks count against one limit.",
      expect: { status: 429, headers: { "retry-after": "59" } },
    },
    {
      stats: { from: "2026-01-15" },
      note: "Reports have a limit of their own.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "59" },
        body: {
          impressions: 10000,
          clicks: 0,
          revenue_inr: {
            sum: [{ ref: "burst.creditedInr" }, { ref: "tenThousandth.revenue_credited_inr" }],
          },
        },
      },
    },
    {
      impression: {},
      publisher: 1,
      note: "So has every other publisher.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "9999" } },
    },
    { advance: { retryAfterOf: "oneTooMany", less: "1s" } },
    { impression: {}, expect: { status: 429, headers: { "retry-after": "1" } } },
    { advance: { retryAfterOf: "oneTooMany" } },
    {
      impression: {},
      as: "afterTheWait",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "9999" } },
    },
    {
      click: { impression_id: { ref: "tenThousandth.impression_id" } },
      as: "click",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "9998" } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      is: {
        impressions: 10001,
        clicks: 1,
        revenue_inr: {
          sum: [
            { ref: "burst.creditedInr" },
            { ref: "tenThousandth.revenue_credited_inr" },
            { ref: "afterTheWait.revenue_credited_inr" },
            { ref: "click.revenue_credited_inr" },
          ],
        },
      },
    },
    {
      audit: {
        total: {
          attempts: 10006,
          applied: 10003,
          duplicatesSuppressed: 0,
          refused: 3,
        },
        balanced: true,
      },
    },
  ],
});
