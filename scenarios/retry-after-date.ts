/** What a client must survive: Retry-After is a date, not a number of seconds. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "retry-after-date",
  about:
    "For a client over the limit, Retry-After is a date, not a number of seconds. A client that reads it as a number waits not at all or for ever. At that date the client is admitted. If the limit ends within a second, the date is the next whole second.",
  start: "2026-01-31T23:59:00.250Z",
  assumptions: { "limit.retry-after": "http-date" },
  steps: [
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      stats: {},
      as: "refused",
      note: "The date is in the next month.",
      expect: {
        status: 429,
        headers: {
          "retry-after": "Sun, 01 Feb 2026 00:00:00 GMT",
          "x-ratelimit-remaining": "0",
        },
        body: { code: "rate_limited" },
      },
    },
    { advance: { retryAfterOf: "refused", less: "1s" } },
    {
      stats: {},
      note: "Asked later, it is the same date.",
      expect: { status: 429, headers: { "retry-after": "Sun, 01 Feb 2026 00:00:00 GMT" } },
    },
    { advance: { retryAfterOf: "refused", less: "1ms" } },
    { stats: {}, expect: { status: 429 } },
    { advance: { retryAfterOf: "refused" } },
    { stats: {}, expect: { status: 200, headers: { "retry-after": { absent: true } } } },
    { advance: { to: "2026-02-01T01:00:00.250Z" } },
    { assume: { "limit.algorithm": "sliding-log" } },
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      stats: {},
      as: "betweenSeconds",
      note: "The wait is over at 01:01:00.250: the date must not be earlier.",
      expect: { status: 429, headers: { "retry-after": "Sun, 01 Feb 2026 01:01:01 GMT" } },
    },
    { advance: { to: "2026-02-01T01:01:00Z" } },
    { stats: {}, note: "A client that rounds down comes too early.", expect: { status: 429 } },
    { advance: { retryAfterOf: "betweenSeconds" } },
    { stats: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } } },
  ],
  expectations: [{ audit: { total: { attempts: 0 }, balanced: true } }],
});
