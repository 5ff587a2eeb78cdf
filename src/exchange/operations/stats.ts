/** `GET /v1/publisher/stats`: impressions, clicks and revenue of a period, including both of its days (spec §4). */

import { type Day, day, formatDay } from "../../base/calendar.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import type { Moment } from "../../world/ledger/book.ts";
import { noTotals, type Totals } from "../../world/publishers/seeded-history.ts";
import { amountReaderOf } from "./amounts.ts";
import type { OperationWorld } from "./operation-world.ts";
import { type Outcome, type Refusal, readSuccess, refused } from "./outcome.ts";
import { surfaceTotals } from "./revenue.ts";
import { surfaceNotFound } from "./surfaces.ts";

export type Stats = (input: Input<"stats">, account: Account, moment: Moment) => Outcome;

const DEFAULT_DAYS_BACK = 30;

export function createStats({ assumptions, population }: OperationWorld): Stats {
  const inr = amountReaderOf(assumptions);
  const lagDays = assumptions["stats.today"] === "next-day" ? 1 : 0;
  const listsQuiet = assumptions["stats.surfaces"] === "all";

  return (input, account, { today }) => {
    const { from = day(today - DEFAULT_DAYS_BACK), to = today, surface } = input;
    if (from > to && assumptions["date.inverted-range"] === "reject") {
      return inverted(from, to, input);
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

/** Names a parameter that was sent. */
function inverted(fromDay: Day, toDay: Day, input: Input<"stats">): Refusal {
  const [from, to] = [formatDay(fromDay), formatDay(toDay)];
  if (input.from === undefined) {
    const detail = `to must not be before ${from}, 30 days before today: from wasn't sent.`;
    return refused("invalid_parameter", detail, "to");
  }
  const detail =
    input.to === undefined
      ? `from must not be after today, ${to}: to wasn't sent.`
      : `from must not be after to: ${from} is after ${to}.`;
  return refused("invalid_parameter", detail, "from");
}
