/** The payout rules by example: threshold, rollover, payday. */

import { expect, test } from "vitest";
import { type Day, day, formatDay, parseDay } from "../../../src/base/calendar.ts";
import { payoutHistory } from "../../../src/world/ledger/payouts.ts";

const INR = 1_000_000;
const on = (text: string): Day => parseDay(text) ?? day(Number.NaN);

/** The payouts up to today for this daily revenue in INR. */
function paid(revenue: Readonly<Record<string, number>>, today: string, joined: string): string[] {
  const between = (from: Day, to: Day): number =>
    Object.entries(revenue)
      .filter(([one]) => on(one) >= from && on(one) <= to)
      .reduce((sum, [, inr]) => sum + inr * INR, 0);
  const lastDay = on(Object.keys(revenue).sort().at(-1) ?? joined);
  const history = payoutHistory({ joined: on(joined), lastDay, between }, on(today));
  return [
    ...history.payouts.map(({ date, amount }) => `${formatDay(date)} ${amount / INR}`),
    `pending ${history.pending / INR}`,
  ];
}

const january = { "2026-01-31": 700, "2026-02-01": 800 };
const rolling = { "2025-11-30": 200, "2025-12-31": 299, "2026-01-01": 1, "2026-02-01": 50 };

test.each<[string, Readonly<Record<string, number>>, today: string, expected: string[]]>([
  ["a month isn't paid before the 7th of the next", january, "2026-02-06", ["pending 1500"]],
  [
    "on the 7th it is, without the days since",
    january,
    "2026-02-07",
    ["2026-02-07 700", "pending 800"],
  ],
  [
    "each month is paid apart",
    january,
    "2026-03-07",
    ["2026-02-07 700", "2026-03-07 800", "pending 0"],
  ],
  ["500 INR are paid", { "2026-01-31": 500 }, "2026-02-07", ["2026-02-07 500", "pending 0"]],
  ["a micro less rolls over", { "2026-01-31": 499.999999 }, "2026-12-07", ["pending 499.999999"]],
  [
    "what rolled over is paid with the month that reaches the threshold",
    rolling,
    "2026-02-07",
    ["2026-02-07 500", "pending 50"],
  ],
  [
    "December is paid in the next year",
    { "2027-12-31": 900 },
    "2028-01-07",
    ["2028-01-07 900", "pending 0"],
  ],
  ["without revenue there is no payout", {}, "2030-01-01", ["pending 0"]],
])("%s", (_, revenue, today, expected) => {
  for (const joined of ["2025-11-30", "2025-01-01"])
    expect(paid(revenue, today, joined)).toEqual(expected);
});
