/** What a client must survive: events one millisecond before and after midnight belong to different days. */

import { defineScenario } from "../src/scenario.ts";
import { aroundMidnight, credited, creditOf, report } from "./words.ts";

export const scenario = defineScenario({
  name: "midnight-utc",
  about:
    "Events one millisecond before and after midnight UTC belong to different days. A click belongs to the day of the click. A client that sums by its own clock or time zone gets other figures than the service.",
  start: "2026-01-15T23:59:59.999Z",
  steps: [
    ...aroundMidnight(15),
    { advance: { to: "2026-01-16T23:59:59.999Z" } },
    { impression: {}, as: "lastOf16th", expect: credited },
  ],
  expectations: [
    report(["2026-01-15", "2026-01-15"], { clicks: 0, revenue_inr: creditOf("last") }),
    report(["2026-01-16", "2026-01-16"], {
      clicks: 1,
      revenue_inr: creditOf("first", "click", "lastOf16th"),
    }),
  ],
});
