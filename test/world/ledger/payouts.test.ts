/** The payout rules by example: threshold, rollover, payday. */

import { describe, expect, test } from "vitest";
import { type Day, day, formatDay, parseDay, weekday } from "../../../src/base/calendar.ts";
import {
  type PayoutTerms,
  payoutCycles,
  payoutHistory,
  payoutThresholds,
} from "../../../src/world/ledger/payout-history.ts";

const INR = 1_000_000;

function on(text: string): Day {
  const parsed = parseDay(text);
  if (parsed === undefined) throw new Error(`${text} is no day.`);
  return parsed;
}

/** The payouts for this daily revenue in INR. */
function paid(
  revenue: Readonly<Record<string, number>>,
  today: string,
  joined: string,
  terms: Partial<PayoutTerms> = {},
): string[] {
  const days = Object.keys(revenue).sort();
  const between = (from: Day, to: Day): number =>
    days
      .filter((one) => on(one) >= from && on(one) <= to)
      .reduce((sum, one) => sum + (revenue[one] ?? 0) * INR, 0);
  const lastDay = on(days.at(-1) ?? joined);
  const history = payoutHistory({ joined: on(joined), lastDay, between }, on(today), {
    cycles: payoutCycles.monthly,
    threshold: payoutThresholds["500"],
    ...terms,
  });
  return [
    ...history.payouts.map(({ date, amount }) => `${formatDay(date)} ${amount / INR}`),
    `pending ${history.pending / INR}`,
  ];
}

test("a month is paid on the 7th of the next, and no day earlier", () => {
  const revenue = { "2026-01-31": 600 };
  expect(paid(revenue, "2026-02-06", "2026-01-10")).toEqual(["pending 600"]);
  expect(paid(revenue, "2026-02-07", "2026-01-10")).toEqual(["2026-02-07 600", "pending 0"]);
});

test("500 INR are paid, a micro less rolls over", () => {
  expect(paid({ "2026-01-31": 500 }, "2026-02-07", "2026-01-01")).toEqual([
    "2026-02-07 500",
    "pending 0",
  ]);
  expect(paid({ "2026-01-31": 499.999999 }, "2026-12-07", "2026-01-01")).toEqual([
    "pending 499.999999",
  ]);
});

test("revenue that rolled over is paid with the month that reaches the threshold", () => {
  const revenue = { "2025-11-30": 200, "2025-12-31": 299, "2026-01-01": 1, "2026-02-01": 50 };
  expect(paid(revenue, "2026-02-07", "2025-11-30")).toEqual(["2026-02-07 500", "pending 50"]);
});

test("the first days of a month belong to it, though the previous month is paid after them", () => {
  const revenue = { "2026-01-31": 700, "2026-02-01": 800 };
  expect(paid(revenue, "2026-02-07", "2026-01-01")).toEqual(["2026-02-07 700", "pending 800"]);
  expect(paid(revenue, "2026-03-07", "2026-01-01")).toEqual([
    "2026-02-07 700",
    "2026-03-07 800",
    "pending 0",
  ]);
});

test("December is paid in the next year", () => {
  expect(paid({ "2027-12-31": 900 }, "2028-01-07", "2027-12-31")).toEqual([
    "2028-01-07 900",
    "pending 0",
  ]);
});

test("a publisher without revenue gets no payout", () => {
  expect(paid({}, "2030-01-01", "2026-01-01")).toEqual(["pending 0"]);
});

test("without a threshold every cycle with revenue is paid, even a single micro, and one without isn't", () => {
  const terms = { threshold: payoutThresholds.none };
  const revenue = { "2025-11-30": 200, "2026-01-31": 0.000001, "2026-02-01": 50 };
  expect(paid(revenue, "2026-02-07", "2025-11-30", terms)).toEqual([
    "2025-12-07 200",
    "2026-02-07 0.000001",
    "pending 50",
  ]);
  expect(paid({}, "2030-01-01", "2026-01-01", terms)).toEqual(["pending 0"]);
});

describe("weeks", () => {
  const { weekly, monthly } = payoutCycles;

  test("begin on Monday and are paid on Wednesday of the next week, and no day earlier", () => {
    // 2026-01-11 is a Sunday.
    const revenue = { "2026-01-05": 300, "2026-01-11": 300 };
    expect(paid(revenue, "2026-01-13", "2026-01-05", { cycles: weekly })).toEqual(["pending 600"]);
    expect(paid(revenue, "2026-01-14", "2026-01-05", { cycles: weekly })).toEqual([
      "2026-01-14 600",
      "pending 0",
    ]);
  });

  test("end on Sunday: Monday's revenue is paid a week later", () => {
    const revenue = { "2026-01-11": 600, "2026-01-12": 700 };
    expect(paid(revenue, "2026-01-20", "2026-01-01", { cycles: weekly })).toEqual([
      "2026-01-14 600",
      "pending 700",
    ]);
    expect(paid(revenue, "2026-01-21", "2026-01-01", { cycles: weekly })).toEqual([
      "2026-01-14 600",
      "2026-01-21 700",
      "pending 0",
    ]);
  });

  test("roll over below the threshold, also at the end of a year", () => {
    const revenue = { "2025-12-28": 200, "2025-12-29": 200, "2026-01-05": 100 };
    expect(paid(revenue, "2026-01-14", "2025-12-22", { cycles: weekly })).toEqual([
      "2026-01-14 500",
      "pending 0",
    ]);
  });

  test("follow one another without a gap from the year 0 to 9999", () => {
    const { first, last } = { first: on("0000-01-01"), last: on("9999-12-31") };
    expect(weekly.indexOf(first)).toBe(0);
    for (let one = first; one < last; one = day(one + 1)) {
      const index = weekly.indexOf(one);
      if (!(weekly.firstDay(index) <= one && one < weekly.firstDay(index + 1)))
        throw new Error(`${formatDay(one)} isn't in its week.`);
    }
    expect(weekday(weekly.firstDay(weekly.indexOf(on("1969-12-31"))))).toBe(0);
    expect(weekday(weekly.payDay(weekly.indexOf(on("1969-12-31"))))).toBe(2);
  });

  test("have serial numbers that no month has, below 2^32", () => {
    const last = on("9999-12-31");
    expect(weekly.serialOf(0)).toBeGreaterThan(monthly.serialOf(monthly.indexOf(last)));
    expect(weekly.serialOf(weekly.indexOf(last))).toBeLessThan(2 ** 32);
  });
});
