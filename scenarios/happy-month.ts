/** What a client must survive: an ordinary month, from its first impression to its payout. */

import { defineScenario } from "../src/scenario.ts";
import { ok, ref, report } from "./words.ts";

const publisher = "station";
const earned = ref("month.creditedInr");
const unpaid = { payouts: [], pending_inr: earned };

export const scenario = defineScenario({
  name: "happy-month",
  about:
    "Thirty days of ordinary traffic on three surfaces, with clicks and repeated sessions. The month ends, and is paid on the 7th of the next one, exact to the micro-INR. The sum of the client's credits is what the service reports.",
  start: "2026-04-01T00:00:00Z",
  publishers: 1,
  steps: [
    {
      signUp: {
        surfaces: [
          { name: "Editor sidebar", cpmRange: [60, 90] },
          { name: "Terminal status line", cpmRange: [80, 120] },
          { name: "Build output footer", cpmRange: [100, 250] },
        ],
      },
      as: publisher,
    },
    {
      traffic: {
        for: "719h",
        publishers: [publisher],
        arrivals: { kind: "daily", mean: "150/d", spacing: "poisson" },
        repeatedSessions: 0.05,
        clicks: { rate: 0.02, after: "20s" },
      },
      as: "month",
      note: "The last hour is quiet, so that no click falls in May.",
      expect: {
        operations: { impression: { sent: { between: [4000, 5000] } } },
      },
    },
    { advance: { to: "2026-04-30T23:59:59.999Z" } },
    {
      stats: {},
      publisher,
      as: "april",
      expect: ok({
        period: { from: "2026-03-31", to: "2026-04-30" },
        impressions: { atLeast: 3800 },
        clicks: { between: [45, ref("month.operations.click.ok")] },
        revenue_inr: earned,
      }),
    },
    {
      expect: {
        of: "month.differentIds",
        is: { sum: [ref("april.impressions"), ref("april.clicks")] },
      },
      note: "Repeated sessions gave the same ids again, as did a second click, and nothing else.",
    },
    { advance: { to: "2026-05-06T23:59:59.999Z" } },
    { payouts: {}, publisher, expect: ok(unpaid) },
    { advance: "1ms" },
    {
      payouts: {},
      publisher,
      as: "paid",
      expect: ok({
        payouts: [{ date: "2026-05-07", amount_inr: earned, status: "paid", txn_id: { not: "" } }],
        pending_inr: 0,
      }),
    },
    { advance: { to: "2026-06-07T00:00:00Z" } },
    { payouts: {}, publisher, note: "It is paid once.", expect: { body: ref("paid") } },
  ],
  expectations: [
    report(["2026-04-01", "2026-04-30"], { revenue_inr: earned }, publisher),
    report(["2026-05-01", "2026-06-07"], { impressions: 0, clicks: 0, revenue_inr: 0 }, publisher),
  ],
  thresholds: ["errors = 0%", "refused = 0%"],
});
