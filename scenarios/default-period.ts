/** What a client must survive: the default period has 31 days and moves every midnight. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "default-period",
  about:
    "Without dates the stats cover 31 days: from 30 days before today to today. An event of the first day is no longer included one day later. With `to` alone, the period can end before its default start, and is then refused.",
  start: "2026-03-01T00:00:00Z",
  steps: [
    { signUp: {}, as: "publisher" },
    { impression: {}, publisher: "publisher", as: "first", expect: { status: 200 } },
    { advance: { to: "2026-03-31T23:59:59.999Z" } },
    { impression: {}, publisher: "publisher", as: "last", expect: { status: 200 } },
    {
      stats: {},
      publisher: "publisher",
      note: "The last millisecond in which the first impression is in it.",
      expect: {
        status: 200,
        body: {
          period: { from: "2026-03-01", to: "2026-03-31" },
          impressions: 2,
          revenue_inr: {
            sum: [{ ref: "first.revenue_credited_inr" }, { ref: "last.revenue_credited_inr" }],
          },
        },
      },
    },
    {
      stats: { to: "2026-03-30" },
      publisher: "publisher",
      note: "The default start counts back from today, not from `to`.",
      expect: {
        status: 200,
        body: {
          period: { from: "2026-03-01", to: "2026-03-30" },
          impressions: 1,
          revenue_inr: { ref: "first.revenue_credited_inr" },
        },
      },
    },
    { advance: "1ms" },
    {
      stats: {},
      publisher: "publisher",
      expect: {
        status: 200,
        body: {
          period: { from: "2026-03-02", to: "2026-04-01" },
          impressions: 1,
          revenue_inr: { ref: "last.revenue_credited_inr" },
        },
      },
    },
    {
      stats: { from: "2026-03-01" },
      publisher: "publisher",
      note: "A client that asks for that day still gets it.",
      expect: {
        status: 200,
        body: { period: { from: "2026-03-01", to: "2026-04-01" }, impressions: 2 },
      },
    },
    {
      stats: { to: "2026-03-02" },
      publisher: "publisher",
      expect: {
        status: 200,
        body: { period: { from: "2026-03-02", to: "2026-03-02" }, impressions: 0, revenue_inr: 0 },
      },
    },
    {
      stats: { to: "2026-03-01" },
      publisher: "publisher",
      note: "The default start is the day after: the period is inverted.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "to" } },
    },
    {
      stats: { from: "2026-04-02" },
      publisher: "publisher",
      note: "The default end is today, the day before.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "from" } },
    },
    { advance: { to: "2026-05-01T00:00:00Z" } },
    {
      stats: {},
      publisher: "publisher",
      note: "On the first of a month, after a month of 30 days: all of it and today, not a day of March.",
      expect: {
        status: 200,
        body: { period: { from: "2026-04-01", to: "2026-05-01" }, impressions: 0 },
      },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-03-01", to: "2026-05-01" },
      publisher: "publisher",
      is: {
        impressions: 2,
        clicks: 0,
        revenue_inr: {
          sum: [{ ref: "first.revenue_credited_inr" }, { ref: "last.revenue_credited_inr" }],
        },
      },
    },
    { audit: { total: { applied: 2, refused: 0 }, balanced: true } },
  ],
});
