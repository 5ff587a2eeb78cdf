/** `GET /v1/publisher/payouts`: what was paid, and what is pending (spec §4). */

import type { Account } from "../../accounts/account.ts";
import type { Choice } from "../../assumptions/catalogue.ts";
import { type Day, day, formatDay } from "../../base/calendar.ts";
import type { Input } from "../../contract/operations.ts";
import type { Moment } from "../../ledger/book.ts";
import { type Payout, type PayoutHistory, payoutHistory } from "../../ledger/payouts.ts";
import { amountWriterOf } from "../amounts.ts";
import { done, type Outcome, type ShapedBy } from "../outcome.ts";
import type { World } from "../world.ts";
import { revenueBetween } from "./revenue.ts";

export type Payouts = (input: Input<"payouts">, account: Account, moment: Moment) => Outcome;

/** The first `limit` of a list that comes oldest first, in the order that the choice asks for. */
const orders = {
  "newest-first": (payouts, limit) => payouts.slice(-limit).reverse(),
  "oldest-first": (payouts, limit) => payouts.slice(0, limit),
} satisfies Record<Choice<"payout.order">, (payouts: readonly Payout[], limit: number) => Payout[]>;

export function createPayouts(world: World, startDay: Day): Payouts {
  const { ids, population } = world;
  const order = orders[world.assumptions["payout.order"]];
  const inr = amountWriterOf(world.assumptions);

  function historyOf(account: Account, today: Day): PayoutHistory {
    // The seeded history ends on the day before the world's start.
    const lastSeeded = day(Math.max(account.joined, startDay - 1));
    const lastRecorded = account.book.lastDay ?? lastSeeded;
    const revenue = {
      joined: account.joined,
      lastDay: day(Math.max(lastSeeded, lastRecorded)),
      between: (from: Day, to: Day) => revenueBetween(population, account, from, to),
    };
    return payoutHistory(revenue, today);
  }

  return (input, account, { today }) => {
    const { payouts, pending } = historyOf(account, today);
    const person = account.person ?? population.person(account.ordinal);
    const listed = order(payouts, input.limit).map(
      ({ month, date, amount }) =>
        `{"id":"${ids.payout.encode(account.ordinal, month)}","date":"${formatDay(date)}",` +
        `"amount_inr":${inr(amount)},"upi_id":${JSON.stringify(person.upiId)},` +
        `"status":"paid","txn_id":"${ids.transaction.encode(account.ordinal, month)}"}`,
    );
    return done(
      `{"payouts":[${listed.join(",")}],"pending_inr":${inr(pending)}}`,
      "read",
      listed.length > 1 ? shapedByList : shapedByCycle,
    );
  };
}

const shapedByCycle: ShapedBy = ["payout.cycle", "date.timezone"];
const shapedByList: ShapedBy = [...shapedByCycle, "payout.order"];
