/** What a client must survive: a February of 29 days, and a year that ends: in periods, dates and payouts. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { clickOn, credited, error, report, signUp, sumOf } from "./words.ts";

const publisher = "station";

function sixty(as: string): Step {
  const steps = [{ impression: {}, publisher, as: `last-${as}` }];
  return { repeat: { times: 60, steps }, as, expect: { ok: 60, creditedInr: 600 } };
}

function noDate(stats: { readonly from?: string; readonly to?: string }, note: string): Step {
  const [parameter = ""] = Object.keys(stats);
  return { stats, publisher, note, expect: error(400, "invalid_parameter", parameter) };
}

/** Nothing is paid before this instant, and then one month more. */
function paidAt(midnight: string, amounts: readonly number[]): Step[] {
  const before = new Date(Date.parse(midnight) - 1).toISOString();
  const amount_inr = amounts.map((inr) => ({ amount_inr: inr }));
  const [latest, ...earlier] = amount_inr;
  const payouts = (listed: readonly object[]): Step => ({
    payouts: {},
    publisher,
    expect: { status: 200, body: { payouts: listed as { amount_inr: number }[] } },
  });
  return [
    { advance: { to: before } },
    payouts(earlier),
    { advance: "1ms" },
    payouts([{ ...latest, date: midnight.slice(0, 10) }, ...earlier]),
  ];
}

export const scenario = defineScenario({
  name: "leap-day",
  about:
    "A publisher has traffic around 29 February of a leap year, and in the last millisecond of the year and the first of the next. Periods cross both, 29 February is a day of its own, and each month is paid on the 7th of the next: February with its last day, December in January.",
  start: "2028-02-28T12:00:00Z",
  steps: [
    signUp(publisher, { Editor: 10_000 }),
    sixty("on28th"),
    { advance: { to: "2028-02-29T23:59:59.999Z" } },
    sixty("onLeapDay"),
    { advance: "1ms" },
    sixty("inMarch"),
    clickOn("last-onLeapDay", { publisher, as: "clickInMarch", expect: credited }),
    {
      stats: {},
      publisher,
      note: "If February had 28 days, it would be 30 January.",
      expect: {
        status: 200,
        body: {
          period: { from: "2028-01-31", to: "2028-03-01" },
          ...{ impressions: 180, clicks: 1 },
        },
      },
    },
    noDate({ from: "2028-02-30" }, "No February has 30 days."),
    noDate({ from: "2027-02-29" }, "2027 is not a leap year."),
    noDate({ to: "2100-02-29" }, "Of the years that end a century only every fourth is one."),
    {
      stats: { from: "2000-02-29", to: "2000-02-29" },
      publisher,
      expect: { status: 200, body: { impressions: 0 } },
    },
    ...paidAt("2028-03-07T00:00:00Z", [1200]),
    { advance: { to: "2028-12-31T23:59:59.999Z" } },
    sixty("inDecember"),
    { advance: "1ms" },
    sixty("inJanuary"),
    clickOn("last-inDecember", { publisher, as: "clickIn2029", expect: credited }),
    {
      stats: {},
      publisher,
      expect: {
        status: 200,
        body: {
          period: { from: "2028-12-02", to: "2029-01-01" },
          ...{ impressions: 120, clicks: 1 },
        },
      },
    },
    {
      stats: { from: "2029-01-01", to: "2028-12-31" },
      publisher,
      note: "Compared by month and day alone, the period would be in order.",
      expect: error(400, "invalid_parameter", "from"),
    },
    ...paidAt("2029-01-07T00:00:00Z", [600, 620, 1200]),
  ],
  expectations: [
    report(["2028-02-29", "2028-02-29"], { impressions: 60, revenue_inr: 600 }, publisher),
    report(["2028-02-01", "2028-02-29"], { impressions: 120, revenue_inr: 1200 }, publisher),
    report(["2028-01-01", "2028-12-31"], { impressions: 240, clicks: 1 }, publisher),
    report(
      ["2029-01-01", "2029-12-31"],
      {
        impressions: 60,
        revenue_inr: sumOf("inJanuary.creditedInr", "clickIn2029.revenue_credited_inr"),
      },
      publisher,
    ),
  ],
});
