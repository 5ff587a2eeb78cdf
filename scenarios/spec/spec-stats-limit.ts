/** What a service must do: no key gets more than 60 stats a minute, and Retry-After is long enough (§8). */

import { defineScenario } from "../../src/scenario.ts";

export const scenario = defineScenario({
  name: "spec-stats-limit",
  about:
    "It takes up to a minute. 61 requests for stats use up the limit. A client that waits as long as Retry-After says, or a minute where there is none, is served, and of 61 requests then at most 60 are.",
  steps: [
    { parallel: { times: 61, steps: [{ stats: {} }] }, expect: { sent: 61 } },
    { stats: {}, as: "refused" },
    {
      advance: { retryAfterOf: "refused", more: "100ms" },
      note: "Up to a minute. The request was under way for a moment, which counts, too.",
    },
    { stats: {}, expect: { status: 200 } },
    { parallel: { times: 60, steps: [{ stats: {} }] }, expect: { sent: 60, ok: { atMost: 59 } } },
  ],
});
