/** `GET /v1/publisher/payouts`: the payouts and the pending amount (spec §4). */

import { formatDay } from "../../base/calendar.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import type { Moment } from "../../world/ledger/book.ts";
import type { Payout } from "../../world/ledger/payout-history.ts";
import { hasReference, payoutStatusReaders } from "../../world/ledger/payout-lifecycles.ts";
import { amountWriterOf } from "./amounts.ts";
import type { OperationWorld } from "./operation-world.ts";
import { type Outcome, readSuccess, type ShapedBy } from "./outcome.ts";
import { createPayoutHistories } from "./payout-histories.ts";
import { historyShapedBy } from "./revenue.ts";

export type Payouts = (input: Input<"payouts">, account: Account, moment: Moment) => Outcome;

/** Takes `limit` payouts from a list that is oldest first, in the order of the choice. */
const orders = {
  "newest-first": (payouts, limit) => payouts.slice(-limit).reverse(),
  "oldest-first": (payouts, limit) => payouts.slice(0, limit),
} satisfies Record<Choice<"payout.order">, (payouts: readonly Payout[], limit: number) => Payout[]>;

/** The txn_id of a payout without a payment. */
const unpaidReferences = {
  documented: "",
  extended: ',"txn_id":""',
  "extended-without-txn": "",
} satisfies Record<Choice<"payout.statuses">, string>;

export function createPayouts(world: OperationWorld): Payouts {
  const { assumptions, ids, population } = world;
  const historyOf = createPayoutHistories(world);
  const order = orders[assumptions["payout.order"]];
  const statusOf = payoutStatusReaders[assumptions["payout.statuses"]];
  const unpaidReference = unpaidReferences[assumptions["payout.statuses"]];
  const inr = amountWriterOf(assumptions);

  return (input, account, { today }) => {
    const { payouts, pending } = historyOf(account, today);
    const person = population.person(account.ordinal);
    const listed = order(payouts, input.limit).map((payout) => {
      const status = statusOf(payout, account.ordinal, today);
      const { month } = payout;
      const reference = hasReference(status)
        ? `,"txn_id":"${ids.transaction.encode(account.ordinal, month)}"`
        : unpaidReference;
      return (
        `{"id":"${ids.payout.encode(account.ordinal, month)}","date":"${formatDay(payout.date)}",` +
        `"amount_inr":${inr(payout.amount)},"upi_id":${JSON.stringify(person.upiId)},` +
        `"status":"${status}"${reference}}`
      );
    });
    const shapedBy = [...(shapedByPlaces[Math.min(payouts.length, 2)] ?? shapedByDays)];
    shapedBy.push(...historyShapedBy(population, account, account.joined, today));
    return readSuccess(`{"payouts":[${listed.join(",")}],"pending_inr":${inr(pending)}}`, shapedBy);
  };
}

const shapedByDays: ShapedBy = ["date.timezone"];
const shapedByOne: ShapedBy = [...shapedByDays, "payout.statuses"];
const shapedByList: ShapedBy = [...shapedByOne, "payout.order"];
/** For no payouts, one, and more. */
const shapedByPlaces: readonly ShapedBy[] = [shapedByDays, shapedByOne, shapedByList];
