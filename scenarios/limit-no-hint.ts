/** What a client must survive: a rate limit that doesn't say when to try again. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

/** Waits, asks, and is refused without a hint. */
function tryAfter(wait: string): Step[] {
  return [
    { advance: wait },
    { stats: {}, expect: { status: 429, headers: { "retry-after": { absent: true } } } },
  ];
}

export const scenario: Scenario = defineScenario({
  name: "limit-no-hint",
  about:
    "A client over the limit gets 429 without Retry-After or any other header that says when to come back. It has to back off by itself: if it starts with a pause of one second and doubles it each time, it gets through at the sixth try.",
  assumptions: { "limit.retry-after": "absent" },
  steps: [
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      stats: {},
      expect: {
        status: 429,
        headers: {
          "retry-after": { absent: true },
          "x-ratelimit-reset": { absent: true },
          "x-ratelimit-limit": { absent: true },
          ratelimit: { absent: true },
          "x-ratelimit-remaining": "0",
        },
        body: { code: "rate_limited" },
      },
    },
    ...tryAfter("1s"),
    ...tryAfter("2s"),
    ...tryAfter("4s"),
    ...tryAfter("8s"),
    ...tryAfter("16s"),
    { advance: "32s" },
    {
      stats: {},
      note: "63 seconds after the first try.",
      expect: { status: 200, headers: { "x-ratelimit-remaining": "59" } },
    },
  ],
  expectations: [{ audit: { total: { attempts: 0 }, balanced: true } }],
});
