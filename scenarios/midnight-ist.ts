/** What a client must survive: the service's day begins at 18:30 UTC. */

import { defineScenario } from "../src/scenario.ts";
import { aroundMidnight, credited, creditOf, report } from "./words.ts";

export const scenario = defineScenario({
  name: "midnight-ist",
  about:
    "The service counts days in Indian time: they begin at 18:30 UTC, and nothing happens at midnight UTC. A client that computes dates in UTC asks for the wrong day.",
  start: "2026-01-15T18:29:59.999Z",
  assumptions: { "date.timezone": "ist" },
  steps: [
    ...aroundMidnight(15),
    { advance: { to: "2026-01-16T00:00:00Z" } },
    { impression: {}, as: "midnightUtc", expect: credited },
    { advance: { to: "2026-01-16T18:29:59.999Z" } },
    { impression: {}, as: "lastOf16th", expect: credited },
    { advance: "1ms" },
    { impression: {}, expect: credited },
  ],
  expectations: [
    report(["2026-01-15", "2026-01-15"], { clicks: 0, revenue_inr: creditOf("last") }),
    report(["2026-01-16", "2026-01-16"], {
      clicks: 1,
      revenue_inr: creditOf("first", "click", "midnightUtc", "lastOf16th"),
    }),
  ],
});
