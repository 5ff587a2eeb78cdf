/** A publisher's figures for any range of days: the sum of the seeded history and of recorded events. */

import { type Day, day } from "../../base/calendar.ts";
import { inWholePaise, microsToInr } from "../../base/money.ts";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import type { Account } from "../../world/accounts/account.ts";
import { lastDayOf, totalsBetween } from "../../world/ledger/book.ts";
import { type PayoutHistory, payoutHistory } from "../../world/ledger/payouts.ts";
import type { Population } from "../../world/publishers/population.ts";
import { noTotals, type Totals } from "../../world/publishers/seeded-publisher.ts";

/** The totals of each surface, in the account's order, from `from` to `to`, both included. */
export function surfaceTotals(
  population: Population,
  account: Account,
  from: Day,
  to: Day,
): Totals[] {
  const history = population.seededHistory(account);
  return account.surfaces.map((_, index) => {
    const recorded = totalsBetween(account.book, index, from, to);
    const before = history?.between(index, from, to) ?? noTotals;
    return {
      impressions: before.impressions + recorded.impressions,
      clicks: before.clicks + recorded.clicks,
      micros: before.micros + recorded.micros,
    };
  });
}

/** The payouts and the pending amount of an account on a day. */
export function payoutHistoryOf(
  population: Population,
  account: Account,
  today: Day,
): PayoutHistory {
  const { joined, book } = account;
  // The seeded history ends on the day before the world's start.
  const lastSeeded = Math.max(joined, population.startDay - 1);
  const lastDay = day(Math.max(lastSeeded, lastDayOf(book) ?? lastSeeded));
  const between = (from: Day, to: Day): number =>
    surfaceTotals(population, account, from, to).reduce((sum, { micros }) => sum + micros, 0);
  return payoutHistory({ joined, lastDay, between }, today);
}

/** Turns an amount in micro-INR into a number of INR. JSON writes it with exactly its decimals. */
export function amountReaderOf(assumptions: Assumptions): (micros: number) => number {
  const isRounded = assumptions["money.precision"] === "paise";
  return isRounded ? (micros) => microsToInr(inWholePaise(micros)) : microsToInr;
}
