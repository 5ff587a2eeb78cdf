/** What a client must survive: its clock is 10 minutes ahead or behind, and only the service's clock counts. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

/** The end of the minute in which the limit is reached. */
const RESET = "Fri, 16 Jan 2026 00:06:00 GMT";

export const scenario: Scenario = defineScenario({
  name: "clock-skew",
  about:
    "Around midnight a client's clock is 10 minutes wrong, ahead or behind. The client's today is an empty day, or lacks today's events. If Retry-After is a date, the client comes back too early or too late. Only a wait in seconds, or from Date to Retry-After, doesn't depend on the clock.",
  start: "2026-01-15T23:55:00Z",
  assumptions: { "limit.retry-after": "http-date" },
  steps: [
    {
      impression: {},
      as: "before",
      note: "23:55 on the 15th. To a client that is 10 minutes ahead it is the 16th.",
      expect: { status: 200 },
    },
    {
      stats: { from: "2026-01-16", to: "2026-01-16" },
      note: "It asks for its today, and there is nothing.",
      expect: {
        status: 200,
        body: {
          period: { from: "2026-01-16", to: "2026-01-16" },
          impressions: 0,
          revenue_inr: 0,
        },
      },
    },
    {
      stats: { from: "2026-01-16" },
      note: "It asks from its own today on, which is after the service's today, the default end.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "from" } },
    },
    {
      stats: { to: "2026-01-16" },
      note: "It asks up to its own today, and gets everything.",
      expect: {
        status: 200,
        body: { period: { from: "2025-12-16", to: "2026-01-16" } },
      },
    },
    {
      stats: {},
      note: "Without dates it gets the service's today.",
      expect: {
        status: 200,
        body: { period: { from: "2025-12-16", to: "2026-01-15" } },
      },
    },
    { advance: "10m" },
    {
      impression: {},
      as: "after",
      note: "00:05 on the 16th. To a client that is 10 minutes behind it is still the 15th.",
      expect: { status: 200 },
    },
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      note: "It asks up to its today, and misses its latest event.",
      expect: {
        status: 200,
        body: { impressions: 1, revenue_inr: { ref: "before.revenue_credited_inr" } },
      },
    },
    {
      stats: { from: "2026-01-16", to: "2026-01-16" },
      expect: {
        status: 200,
        body: { impressions: 1, revenue_inr: { ref: "after.revenue_credited_inr" } },
      },
    },
    {
      click: { impression_id: { ref: "before.impression_id" } },
      as: "click",
      note: "The click counts on the service's day.",
      expect: { status: 200 },
    },
    {
      repeat: { times: 60, steps: [{ publisher: 1, surfaces: {} }] },
      note: "Another publisher polls until its quota is spent.",
      expect: { ok: 60, refused: 0 },
    },
    {
      publisher: 1,
      surfaces: {},
      as: "full",
      expect: {
        status: 429,
        headers: { "retry-after": RESET, "x-ratelimit-remaining": "0" },
        body: { code: "rate_limited" },
      },
    },
    {
      advance: { retryAfterOf: "full", less: "10m" },
      note: "10 minutes ahead that date is long past: it comes back at once.",
    },
    {
      publisher: 1,
      surfaces: {},
      expect: { status: 429, headers: { "retry-after": RESET } },
    },
    { advance: { retryAfterOf: "full", less: 1 } },
    {
      publisher: 1,
      surfaces: {},
      note: "By the service's clock it is a millisecond too early.",
      expect: { status: 429, headers: { "retry-after": RESET } },
    },
    { advance: { retryAfterOf: "full" } },
    {
      publisher: 1,
      surfaces: {},
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
    { repeat: { times: 59, steps: [{ publisher: 1, surfaces: {} }] }, expect: { ok: 59 } },
    {
      publisher: 1,
      surfaces: {},
      as: "again",
      expect: { status: 429, headers: { "retry-after": "Fri, 16 Jan 2026 00:07:00 GMT" } },
    },
    {
      advance: { retryAfterOf: "again", more: "10m" },
      note: "10 minutes behind it waits ten times too long, and gets through.",
    },
    { publisher: 1, surfaces: {}, expect: { status: 200 } },
    { assume: { "limit.retry-after": "seconds" } },
    { repeat: { times: 59, steps: [{ publisher: 1, surfaces: {} }] }, expect: { ok: 59 } },
    { advance: "20s" },
    {
      publisher: 1,
      surfaces: {},
      as: "seconds",
      note: "Seconds are the same on every clock.",
      expect: { status: 429, headers: { "retry-after": "40" } },
    },
    { advance: { retryAfterOf: "seconds" } },
    { publisher: 1, surfaces: {}, expect: { status: 200 } },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      is: { impressions: 1, clicks: 0, revenue_inr: { ref: "before.revenue_credited_inr" } },
    },
    {
      stats: { from: "2026-01-16", to: "2026-01-16" },
      is: {
        impressions: 1,
        clicks: 1,
        revenue_inr: {
          sum: [{ ref: "after.revenue_credited_inr" }, { ref: "click.revenue_credited_inr" }],
        },
      },
    },
  ],
});
