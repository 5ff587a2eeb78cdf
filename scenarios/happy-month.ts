/** What a client must survive: an ordinary month, from its first impression to its payout. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
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
      as: "publisher",
    },
    {
      traffic: {
        for: "719h",
        publishers: ["publisher"],
        arrivals: { kind: "daily", mean: "480/d", spacing: "poisson" },
        repeatedSessions: 0.05,
        clicks: { rate: 0.02, after: "20s" },
      },
      as: "month",
      note: "The last hour is quiet, so that no click falls in May.",
      expect: {
        operations: { impression: { sent: { between: [13500, 15300] } } },
        refused: 0,
        failed: 0,
        cut: 0,
        lost: 0,
      },
    },
    { expect: { of: "month.ok", is: { ref: "month.sent" } } },
    { advance: { to: "2026-04-30T23:59:59.999Z" } },
    {
      stats: {},
      publisher: "publisher",
      as: "april",
      expect: {
        status: 200,
        body: {
          period: { from: "2026-03-31", to: "2026-04-30" },
          impressions: { atLeast: 12000 },
          clicks: { between: [150, { ref: "month.operations.click.ok" }] },
          revenue_inr: { ref: "month.creditedInr" },
          surfaces: [
            {
              id: { ref: "publisher.surfaces.0.id" },
              impressions: { atLeast: 3500 },
            },
            {
              id: { ref: "publisher.surfaces.1.id" },
              impressions: { atLeast: 3500 },
            },
            {
              id: { ref: "publisher.surfaces.2.id" },
              impressions: { atLeast: 3500 },
            },
          ],
        },
      },
    },
    {
      expect: {
        of: "april",
        is: {
          impressions: {
            sum: [
              { ref: "april.surfaces.0.impressions" },
              { ref: "april.surfaces.1.impressions" },
              { ref: "april.surfaces.2.impressions" },
            ],
          },
        },
      },
    },
    {
      expect: {
        of: "month.differentIds",
        is: { sum: [{ ref: "april.impressions" }, { ref: "april.clicks" }] },
      },
      note: "Repeated sessions gave the same ids again, as did a second click, and nothing else.",
    },
    {
      expect: {
        of: "month.operations.impression.ok",
        is: { atLeast: { sum: [{ ref: "april.impressions" }, 1] } },
      },
      note: "So fewer are recorded than were sent.",
    },
    {
      payouts: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: { payouts: [], pending_inr: { ref: "month.creditedInr" } },
      },
    },
    { advance: { to: "2026-05-06T23:59:59.999Z" } },
    {
      payouts: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: { payouts: [], pending_inr: { ref: "month.creditedInr" } },
      },
    },
    { advance: "1ms" },
    {
      payouts: {},
      publisher: "publisher",
      as: "paid",
      expect: {
        status: 200,
        body: {
          payouts: [
            {
              date: "2026-05-07",
              amount_inr: { ref: "month.creditedInr" },
              status: "paid",
              txn_id: { length: { atLeast: 1 } },
              upi_id: { contains: "@" },
            },
          ],
          pending_inr: 0,
        },
      },
    },
    { advance: { to: "2026-06-07T00:00:00Z" } },
    {
      payouts: {},
      publisher: "publisher",
      note: "It is paid once.",
      expect: {
        status: 200,
        body: {
          payouts: [
            {
              id: { ref: "paid.payouts.0.id" },
              txn_id: { ref: "paid.payouts.0.txn_id" },
              amount_inr: { ref: "month.creditedInr" },
            },
          ],
          pending_inr: 0,
        },
      },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-04-01", to: "2026-04-30" },
      publisher: "publisher",
      is: {
        impressions: { ref: "april.impressions" },
        clicks: { ref: "april.clicks" },
        revenue_inr: { ref: "month.creditedInr" },
      },
    },
    {
      stats: { from: "2026-05-01", to: "2026-06-07" },
      publisher: "publisher",
      is: { impressions: 0, clicks: 0, revenue_inr: 0 },
    },
    {
      audit: {
        total: {
          attempts: { ref: "month.sent" },
          applied: { sum: [{ ref: "april.impressions" }, { ref: "april.clicks" }] },
          refused: 0,
          lost: 0,
          creditedRecordedInr: { ref: "month.creditedInr" },
        },
        balanced: true,
      },
    },
  ],
  thresholds: ["errors = 0%", "refused = 0%"],
});
