/** `GET /v1/publisher/payouts`: the payouts and the pending amount (spec §4). */

import { formatDay } from "../../base/calendar.ts";
import type { AccountWorld } from "../../world/accounts/accounts.ts";
import { hasReference, payoutStatusReaders } from "../../world/ledger/payouts.ts";
import { type Operator, readSuccess } from "./outcome.ts";
import { amountReaderOf, payoutHistoryOf } from "./revenue.ts";

export function createPayouts({ assumptions, ids, population }: AccountWorld): Operator<"payouts"> {
  const inr = amountReaderOf(assumptions);
  const statusOf = payoutStatusReaders[assumptions["payout.statuses"]];
  const unpaid = assumptions["payout.statuses"] === "extended" ? { txn_id: "" } : {};
  const isNewestFirst = assumptions["payout.order"] === "newest-first";

  return ({ limit }, account, { today }) => {
    const { ordinal } = account;
    const { payouts, pending } = payoutHistoryOf(population, account, today);
    const { upiId } = population.person(ordinal);
    // The history is oldest first.
    const chosen = isNewestFirst ? payouts.slice(-limit).reverse() : payouts.slice(0, limit);
    const listed = chosen.map((payout) => {
      const status = statusOf(payout, ordinal, today);
      const { month, date, amount } = payout;
      return {
        id: ids.payout.encode(ordinal, month),
        date: formatDay(date),
        amount_inr: inr(amount),
        upi_id: upiId,
        status,
        ...(hasReference(status) ? { txn_id: ids.transaction.encode(ordinal, month) } : unpaid),
      };
    });
    return readSuccess({ payouts: listed, pending_inr: inr(pending) });
  };
}
