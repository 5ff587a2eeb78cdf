/** The operations of the reporting limit, which only read (spec §4, §8): statistics, surfaces, payouts. */

import { day, formatDay } from "../../base/calendar.ts";
import { publicSurface } from "../../world/accounts/account.ts";
import type { AccountWorld } from "../../world/accounts/accounts.ts";
import { hasReference, payoutStatusReaders } from "../../world/ledger/payouts.ts";
import { noTotals, type Totals } from "../../world/publishers/seeded-publisher.ts";
import { type Operator, readSuccess, refused } from "./outcome.ts";
import { amountReaderOf, payoutHistoryOf, surfaceTotals } from "./revenue.ts";

const DEFAULT_DAYS_BACK = 30;

/** `GET /v1/publisher/stats`: impressions, clicks and revenue of a period, including both of its days. */
export function createStats({ assumptions, population }: AccountWorld): Operator<"stats"> {
  const inr = amountReaderOf(assumptions);
  const lagDays = assumptions["stats.today"] === "next-day" ? 1 : 0;
  const listsQuiet = assumptions["stats.surfaces"] === "all";

  return (input, account, { today }) => {
    const { from = day(today - DEFAULT_DAYS_BACK), to = today, surface } = input;
    if (from > to && assumptions["date.inverted-range"] === "reject") {
      const named = (given: unknown): string => (given === undefined ? " (the default)" : "");
      const [first, last] = [formatDay(from) + named(input.from), formatDay(to) + named(input.to)];
      const detail = `from must not be after to: ${first} is after ${last}.`;
      // Names a parameter that was sent.
      return refused("invalid_parameter", detail, input.from === undefined ? "to" : "from");
    }
    if (surface !== undefined && !account.surfaceIndexes.has(surface)) return surfaceNotFound;

    const end = day(Math.min(to, today - lagDays));
    const totals = from > end ? [] : surfaceTotals(population, account, from, end);
    const rows = account.surfaces.flatMap(({ id }, index) =>
      surface === undefined || surface === id ? [{ id, ...(totals[index] ?? noTotals) }] : [],
    );
    return readSuccess({
      publisher_id: account.id,
      // A period that is upside down stays as it was sent, and contains no day.
      period: { from: formatDay(from), to: formatDay(to) },
      impressions: sum(rows, ({ impressions }) => impressions),
      clicks: sum(rows, ({ clicks }) => clicks),
      revenue_inr: inr(sum(rows, ({ micros }) => micros)),
      surfaces: rows
        .filter((row) => listsQuiet || hasTraffic(row))
        .map(({ id, impressions, micros }) => ({ id, impressions, revenue: inr(micros) })),
    });
  };
}

function sum(rows: readonly Totals[], pick: (row: Totals) => number): number {
  return rows.reduce((total, row) => total + pick(row), 0);
}

/** Also counts clicks, because a click may come on another day than its impression. */
function hasTraffic({ impressions, clicks }: Totals): boolean {
  return impressions > 0 || clicks > 0;
}

/** `GET /v1/publisher/surfaces`: all surfaces of a publisher with their current status. */
export const listSurfaces: Operator<"surfaces"> = (_input, account) => {
  const surfaces = account.surfaces.map((terms) => {
    const { id, name, status, cpmRange } = publicSurface(terms);
    return { id, name, status, cpm_range: cpmRange };
  });
  return readSuccess({ surfaces });
};

/** Refuses a request that names a surface that the publisher doesn't have. */
export const surfaceNotFound = refused(
  "surface_not_found",
  "surface is not the id of a surface of this publisher. GET /v1/publisher/surfaces lists the ids.",
  "surface",
);

/** `GET /v1/publisher/payouts`: the payouts and the pending amount. */
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
