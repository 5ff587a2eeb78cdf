/** What a client must survive: its clock is 10 minutes ahead or behind, and only the service's clock counts. */

import { defineScenario, type Step } from "../src/scenario.ts";
import {
  assume,
  clickOn,
  credited,
  creditOf,
  error,
  leaves,
  ok,
  overLimit,
  report,
} from "./words.ts";

/** Another publisher polls. */
const publisher = 1;

function poll(times: number): Step {
  return { repeat: { times, steps: [{ publisher, surfaces: {} }] }, expect: { ok: times } };
}

/** The end of the minute in which the limit is reached. */
const full = overLimit("Fri, 16 Jan 2026 00:06:00 GMT");

export const scenario = defineScenario({
  name: "clock-skew",
  about:
    "Around midnight a client's clock is 10 minutes wrong, ahead or behind. The client's today is an empty day, or lacks today's events. If Retry-After is a date, the client comes back too early or too late. Only a wait in seconds, or from Date to Retry-After, doesn't depend on the clock.",
  start: "2026-01-15T23:55:00Z",
  assumptions: { "limit.retry-after": "http-date" },
  steps: [
    { impression: {}, as: "before", note: "23:55 on the 15th.", expect: credited },
    {
      stats: { from: "2026-01-16", to: "2026-01-16" },
      note: "A client that is 10 minutes ahead asks for its today, and there is nothing.",
      expect: ok({ period: { from: "2026-01-16", to: "2026-01-16" }, impressions: 0 }),
    },
    {
      stats: { from: "2026-01-16" },
      note: "It asks from its own today on, which is after the service's today, the default end.",
      expect: error(400, "invalid_parameter", "from"),
    },
    { advance: "10m" },
    { impression: {}, as: "after", note: "00:05 on the 16th.", expect: credited },
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      note: "A client that is 10 minutes behind asks for its today, and misses its latest event.",
      expect: ok({ impressions: 1, revenue_inr: creditOf("before") }),
    },
    clickOn("before", { as: "click", note: "It counts on the service's day.", expect: credited }),
    poll(60),
    { publisher, surfaces: {}, as: "full", expect: full },
    {
      advance: { retryAfterOf: "full", less: "10m" },
      note: "10 minutes ahead that date is long past: it comes back at once.",
    },
    { publisher, surfaces: {}, expect: full },
    { advance: { retryAfterOf: "full", less: 1 } },
    { publisher, surfaces: {}, note: "By the service's clock it is too early.", expect: full },
    { advance: { retryAfterOf: "full" } },
    poll(60),
    { publisher, surfaces: {}, as: "again", expect: overLimit("Fri, 16 Jan 2026 00:07:00 GMT") },
    {
      advance: { retryAfterOf: "again", more: "10m" },
      note: "10 minutes behind it waits ten times too long, and gets through.",
    },
    assume("limit.retry-after", "seconds"),
    poll(60),
    { advance: "20s" },
    {
      publisher,
      surfaces: {},
      as: "seconds",
      note: "Seconds are the same on every clock.",
      expect: overLimit("40"),
    },
    { advance: { retryAfterOf: "seconds" } },
    { publisher, surfaces: {}, expect: leaves(59) },
  ],
  expectations: [
    report(["2026-01-16", "2026-01-16"], {
      clicks: 1,
      revenue_inr: creditOf("after", "click"),
    }),
  ],
});
