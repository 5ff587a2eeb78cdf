/** What a client must survive: Retry-After is exact. A second less is too early, and a refused request costs nothing. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { askStats, assume, leaves, overLimit } from "./words.ts";

/** 60 GET requests at once, then one too many. It is admitted after its Retry-After, and not a second earlier. */
function exhausted(
  algorithm: "sliding-log" | "token-bucket",
  retryAfter: string,
  remaining: number,
): Step[] {
  return [
    { advance: "5m" },
    assume("limit.algorithm", algorithm),
    askStats(60),
    { stats: {}, as: algorithm, expect: overLimit(retryAfter) },
    { advance: { retryAfterOf: algorithm, less: "1s" } },
    { stats: {}, expect: overLimit("1") },
    { advance: { retryAfterOf: algorithm } },
    { stats: {}, expect: leaves(remaining) },
  ];
}

export const scenario = defineScenario({
  name: "limit-recovers",
  about:
    "A client that waits exactly as long as Retry-After says is admitted; one that comes a second earlier is not. Trying while it waits doesn't make the wait longer. This is true for every limit algorithm.",
  steps: [
    { advance: "13400ms" },
    askStats(60),
    {
      stats: {},
      as: "refused",
      note: "46.6 seconds are left of the minute: whole seconds, rounded up.",
      expect: overLimit("47"),
    },
    {
      repeat: { times: 45, every: "1s", steps: [{ stats: {}, as: "impatient" }] },
      note: "It tries once a second, always in vain.",
      expect: { sent: 45, ok: 0, statuses: { "429": 45 } },
    },
    { expect: { answer: "impatient", ...overLimit("3") }, note: "The hint counts down." },
    { advance: { retryAfterOf: "refused", less: "1s" } },
    { stats: {}, expect: overLimit("1") },
    { advance: { to: "2026-01-15T00:00:59.999Z" } },
    { stats: {}, note: "To the millisecond.", expect: { status: 429 } },
    { advance: { retryAfterOf: "refused" } },
    {
      stats: {},
      note: "All 60 are back: none of the 47 refused requests counted.",
      expect: leaves(59),
    },
    ...exhausted("sliding-log", "60", 59),
    ...exhausted("token-bucket", "1", 0),
  ],
});
