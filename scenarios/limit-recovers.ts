/** What a client must survive: Retry-After is exact. A second less is too early, and a refused request costs nothing. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

type Algorithm = NonNullable<Scenario["assumptions"]>["limit.algorithm"];

/** 60 GET requests at once, then one too many. It is admitted after its Retry-After, and not a second earlier. */
function exhausted(algorithm: Algorithm, retryAfter: string, remaining: string): Step[] {
  const refused = `refused-${algorithm}`;
  return [
    { advance: "5m" },
    { assume: { "limit.algorithm": algorithm } },
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      stats: {},
      as: refused,
      expect: { status: 429, headers: { "retry-after": retryAfter, "x-ratelimit-remaining": "0" } },
    },
    { advance: { retryAfterOf: refused, less: "1s" } },
    { stats: {}, expect: { status: 429, headers: { "retry-after": "1" } } },
    { advance: { retryAfterOf: refused } },
    { stats: {}, expect: { status: 200, headers: { "x-ratelimit-remaining": remaining } } },
  ];
}

export const scenario: Scenario = defineScenario({
  name: "limit-recovers",
  about:
    "A client that waits exactly as long as Retry-After says is admitted; one that comes a second earlier is not. Trying while it waits doesn't make the wait longer. This is true for every limit algorithm.",
  steps: [
    { advance: "13400ms" },
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      stats: {},
      as: "refused",
      note: "46.6 seconds are left of the minute: whole seconds, rounded up.",
      expect: { status: 429, headers: { "retry-after": "47", "x-ratelimit-remaining": "0" } },
    },
    {
      repeat: { times: 45, every: "1s", steps: [{ stats: {}, as: "impatient" }] },
      note: "It tries once a second, always in vain.",
      expect: { sent: 45, ok: 0, statuses: { "429": 45 } },
    },
    {
      expect: { answer: "impatient", headers: { "retry-after": "3" } },
      note: "The hint counts down.",
    },
    { advance: { retryAfterOf: "refused", less: "1s" } },
    { stats: {}, expect: { status: 429, headers: { "retry-after": "1" } } },
    { advance: { to: "2026-01-15T00:00:59.999Z" } },
    { stats: {}, note: "To the millisecond.", expect: { status: 429 } },
    { advance: { retryAfterOf: "refused" } },
    {
      stats: {},
      note: "All 60 are back: none of the 47 refused requests counted.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
    ...exhausted("sliding-log", "60", "59"),
    ...exhausted("token-bucket", "1", "0"),
  ],
  expectations: [{ audit: { total: { attempts: 0 }, balanced: true } }],
});
