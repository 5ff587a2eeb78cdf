/** What a client must survive: a whole day at four fifths of the limit, with no request refused. */

import { defineScenario } from "../src/scenario.ts";
import { ok, ref } from "./words.ts";

const impressions = 11520000;

export const scenario = defineScenario({
  name: "busy-day",
  about:
    "One publisher sends 80 % of its limit for 24 hours, along the curve of a usual day: 11.5 million impressions, and a click on one in a hundred. Nothing is refused, even at the peak. The sum of all credits equals the stats, exact to the micro-INR.",
  publishers: 1,
  steps: [
    {
      traffic: {
        for: "24h",
        arrivals: { kind: "daily", mean: `${impressions}/d` },
        clicks: { rate: 0.01, after: "2s" },
      },
      as: "day",
      expect: {
        operations: {
          impression: { sent: impressions, ok: impressions },
          click: { sent: { atLeast: 1 } },
        },
        late: 0,
      },
    },
    {
      stats: { from: "2026-01-15", to: "2026-01-16" },
      note: "The clicks on the last two seconds' impressions fall into the next day.",
      expect: ok({
        impressions,
        clicks: ref("day.operations.click.ok"),
        revenue_inr: ref("day.creditedInr"),
      }),
    },
    { stats: { from: "2026-01-15", to: "2026-01-15" }, expect: ok({ impressions }) },
  ],
  expectations: [
    { audit: { total: { applied: ref("day.ok"), creditedRecordedInr: ref("day.creditedInr") } } },
  ],
  thresholds: ["errors = 0%", "refused = 0%", "dropped = 0"],
});
