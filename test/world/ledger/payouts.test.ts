/** The payout rules by example: threshold, rollover, payday. */

import { expect, test } from "vitest";
import { type Day, formatDay, parseDay } from "../../../src/base/calendar.ts";
import { payoutHistory } from "../../../src/world/ledger/payout-history.ts";

const INR = 1_000_000;

function on(text: string): Day {
  const parsed = parseDay(text);
  if (parsed === undefined) throw new Error(`${text} is no day.`);
  return parsed;
}

/** The payouts for this daily revenue in INR. */
function paid(revenue: Readonly<Record<string, number>>, today: string, joined: string): string[] {
  const days = Object.keys(revenue).sort();
  const between = (from: Day, to: Day): number =>
    days
      .filter((one) => on(one) >= from && on(one) <= to)
      .reduce((sum, one) => sum + (revenue[one] ?? 0) * INR, 0);
  const lastDay = on(days.at(-1) ?? joined);
  const history = payoutHistory({ joined: on(joined), lastDay, between }, on(today));
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
