/** The payouts and the pending amount of an account, from its seeded history, its book and today's date. */

import { type Day, day } from "../../base/calendar.ts";
import type { Account } from "../../world/accounts/account.ts";
import { lastDayOf } from "../../world/ledger/book.ts";
import { type PayoutHistory, payoutHistory } from "../../world/ledger/payout-history.ts";
import type { OperationWorld } from "./operation-world.ts";
import { surfaceTotals } from "./revenue.ts";

export function createPayoutHistories({
  population,
}: Pick<OperationWorld, "population">): (account: Account, today: Day) => PayoutHistory {
  return (account, today) => {
    // The seeded history ends on the day before the world's start.
    const lastSeeded = day(Math.max(account.joined, population.startDay - 1));
    const lastRecorded = lastDayOf(account.book) ?? lastSeeded;
    const revenue = {
      joined: account.joined,
      lastDay: day(Math.max(lastSeeded, lastRecorded)),
      between: (from: Day, to: Day) =>
        surfaceTotals(population, account, from, to).reduce((sum, { micros }) => sum + micros, 0),
    };
    return payoutHistory(revenue, today);
  };
}
