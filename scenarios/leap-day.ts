/** What a client must survive: a February of 29 days, in periods, dates and the payout. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "leap-day",
  about:
    "A publisher has traffic on 28 and 29 February and on 1 March of a leap year. Thirty days before 1 March is 31 January, 29 February is a day of its own, and February's payout includes it.",
  start: "2028-02-28T12:00:00Z",
  steps: [
    { signUp: { surfaces: [{ name: "Editor", cpmRange: [10000, 10000] }] }, as: "publisher" },
    {
      repeat: { times: 30, steps: [{ impression: {}, publisher: "publisher" }] },
      as: "on28th",
      expect: { ok: 30, creditedInr: 300 },
    },
    { advance: { to: "2028-02-29T23:59:59.999Z" } },
    {
      repeat: {
        times: 30,
        steps: [{ impression: {}, publisher: "publisher", as: "onLeapDay" }],
      },
      as: "on29th",
      expect: { ok: 30, creditedInr: 300 },
    },
    { advance: "1ms" },
    {
      repeat: { times: 30, steps: [{ impression: {}, publisher: "publisher" }] },
      as: "onMarch1st",
      expect: { ok: 30, creditedInr: 300 },
    },
    {
      click: { impression_id: { ref: "onLeapDay.impression_id" } },
      publisher: "publisher",
      as: "clickInMarch",
      expect: { status: 200 },
    },
    {
      stats: {},
      publisher: "publisher",
      note: "If February had 28 days, it would be 30 January.",
      expect: {
        status: 200,
        body: {
          period: { from: "2028-01-31", to: "2028-03-01" },
          impressions: 90,
          clicks: 1,
        },
      },
    },
    {
      stats: { from: "2028-02-30" },
      publisher: "publisher",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "from" } },
    },
    {
      stats: { from: "2027-02-29" },
      publisher: "publisher",
      note: "2027 is not a leap year.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "from" } },
    },
    {
      stats: { to: "2100-02-29" },
      publisher: "publisher",
      note: "Of the years that end a century only every fourth is a leap year: not 2100,",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "to" } },
    },
    {
      stats: { from: "2000-02-29", to: "2000-02-29" },
      publisher: "publisher",
      note: "but 2000 was.",
      expect: {
        status: 200,
        body: { period: { from: "2000-02-29", to: "2000-02-29" }, impressions: 0 },
      },
    },
    { advance: { to: "2028-03-06T23:59:59.999Z" } },
    {
      payouts: {},
      publisher: "publisher",
      note: "February is paid on 7 March.",
      expect: { status: 200, body: { payouts: [] } },
    },
    { advance: "1ms" },
    {
      payouts: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: {
          payouts: [
            {
              date: "2028-03-07",
              amount_inr: { sum: [{ ref: "on28th.creditedInr" }, { ref: "on29th.creditedInr" }] },
              status: "paid",
            },
          ],
          pending_inr: {
            sum: [{ ref: "onMarch1st.creditedInr" }, { ref: "clickInMarch.revenue_credited_inr" }],
          },
        },
      },
    },
  ],
  expectations: [
    {
      stats: { from: "2028-02-28", to: "2028-02-28" },
      publisher: "publisher",
      is: { impressions: 30, clicks: 0, revenue_inr: 300 },
    },
    {
      stats: { from: "2028-02-29", to: "2028-02-29" },
      publisher: "publisher",
      is: { impressions: 30, clicks: 0, revenue_inr: 300 },
    },
    {
      stats: { from: "2028-02-01", to: "2028-02-29" },
      publisher: "publisher",
      is: { impressions: 60, revenue_inr: 600 },
    },
    {
      stats: { from: "2028-03-01", to: "2028-03-01" },
      publisher: "publisher",
      is: {
        impressions: 30,
        clicks: 1,
        revenue_inr: {
          sum: [{ ref: "onMarch1st.creditedInr" }, { ref: "clickInMarch.revenue_credited_inr" }],
        },
      },
    },
    { audit: { total: { applied: 91, refused: 0 }, balanced: true } },
  ],
});
