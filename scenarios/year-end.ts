/** What a client must survive: a period and a payout that span two years. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "year-end",
  about:
    "Traffic comes in the last millisecond of a year and in the first of the next. Periods cross the end of the year, and December is paid in January.",
  start: "2026-12-31T23:59:59.999Z",
  steps: [
    { signUp: { surfaces: [{ name: "Editor", cpmRange: [10000, 10000] }] }, as: "publisher" },
    {
      repeat: { times: 60, steps: [{ impression: {}, publisher: "publisher", as: "lastOf2026" }] },
      as: "december",
      expect: { ok: 60, creditedInr: 600 },
    },
    { advance: "1ms" },
    {
      repeat: { times: 60, steps: [{ impression: {}, publisher: "publisher" }] },
      as: "january",
      expect: { ok: 60, creditedInr: 600 },
    },
    {
      click: { impression_id: { ref: "lastOf2026.impression_id" } },
      publisher: "publisher",
      as: "clickIn2027",
      expect: { status: 200 },
    },
    {
      stats: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: {
          period: { from: "2026-12-02", to: "2027-01-01" },
          impressions: 120,
          clicks: 1,
          revenue_inr: {
            sum: [
              { ref: "december.creditedInr" },
              { ref: "january.creditedInr" },
              { ref: "clickIn2027.revenue_credited_inr" },
            ],
          },
        },
      },
    },
    {
      stats: { from: "2027-01-01", to: "2026-12-31" },
      publisher: "publisher",
      note: "Compared by month and day alone, the period would be in order.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "from" } },
    },
    { advance: { to: "2027-01-06T23:59:59.999Z" } },
    {
      payouts: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: {
          payouts: [],
          pending_inr: {
            sum: [
              { ref: "december.creditedInr" },
              { ref: "january.creditedInr" },
              { ref: "clickIn2027.revenue_credited_inr" },
            ],
          },
        },
      },
    },
    { advance: "1ms" },
    {
      payouts: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: {
          payouts: [{ date: "2027-01-07", amount_inr: { ref: "december.creditedInr" } }],
          pending_inr: {
            sum: [{ ref: "january.creditedInr" }, { ref: "clickIn2027.revenue_credited_inr" }],
          },
        },
      },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-01", to: "2026-12-31" },
      publisher: "publisher",
      is: { impressions: 60, clicks: 0, revenue_inr: { ref: "december.creditedInr" } },
    },
    {
      stats: { from: "2027-01-01", to: "2027-12-31" },
      publisher: "publisher",
      is: {
        impressions: 60,
        clicks: 1,
        revenue_inr: {
          sum: [{ ref: "january.creditedInr" }, { ref: "clickIn2027.revenue_credited_inr" }],
        },
      },
    },
    { audit: { total: { applied: 121, refused: 0 }, balanced: true } },
  ],
});
