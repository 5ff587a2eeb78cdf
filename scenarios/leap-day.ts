/** What a client must survive: a February of 29 days, and a year that ends: in periods, dates and payouts. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { clickOn, credited, error, ok, report, signUp } from "./words.ts";

const publisher = "station";

function sixty(as: string): Step {
  const steps = [{ impression: {}, publisher, as: `last-${as}` }];
  return { repeat: { times: 60, steps }, as, expect: { creditedInr: 600 } };
}

/** This is the default period. */
function default31(from: string, to: string): Step {
  return { stats: {}, publisher, expect: ok({ period: { from, to }, clicks: 1 }) };
}

function noPeriod(stats: { from?: string; to?: string }, note: string, parameter: string): Step {
  return { stats, publisher, note, expect: error(400, "invalid_parameter", parameter) };
}

/** These are the payouts, the latest of this day. A millisecond before, it isn't there. */
function paidOn(date: string, ...amounts: readonly number[]): Step[] {
  const earlier = amounts.slice(1).map((amount_inr) => ({ amount_inr }));
  const payouts = [{ date, amount_inr: amounts[0] ?? 0 }, ...earlier];
  return [
    { advance: { to: `${date.slice(0, -2)}06T23:59:59.999Z` } },
    { payouts: {}, publisher, expect: { body: { payouts: earlier } } },
    { advance: "1ms" },
    { payouts: {}, publisher, expect: { body: { payouts } } },
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
    clickOn("last-onLeapDay", { publisher, expect: credited }),
    default31("2028-01-31", "2028-03-01"),
    noPeriod({ from: "2028-02-30" }, "No February has 30 days.", "from"),
    noPeriod({ from: "2027-02-29" }, "2027 is not a leap year.", "from"),
    noPeriod({ to: "2100-02-29" }, "Of the years that end a century every fourth is one.", "to"),
    { stats: { from: "2000-02-29" }, publisher, expect: { status: 200 } },
    ...paidOn("2028-03-07", 1200),
    { advance: { to: "2028-12-31T23:59:59.999Z" } },
    sixty("inDecember"),
    { advance: "1ms" },
    sixty("inJanuary"),
    clickOn("last-inDecember", { publisher, expect: credited }),
    default31("2028-12-02", "2029-01-01"),
    noPeriod({ from: "2029-01-01", to: "2028-12-31" }, "In order but for the year.", "from"),
    ...paidOn("2029-01-07", 600, 620, 1200),
  ],
  expectations: [
    report(["2028-02-29", "2028-02-29"], { impressions: 60, revenue_inr: 600 }, publisher),
    report(["2028-02-01", "2028-02-29"], { impressions: 120, revenue_inr: 1200 }, publisher),
    report(["2028-01-01", "2028-12-31"], { impressions: 240, clicks: 1 }, publisher),
    report(["2029-01-01", "2029-12-31"], { impressions: 60, clicks: 1 }, publisher),
  ],
});
