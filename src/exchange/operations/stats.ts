/** `GET /v1/publisher/stats`: impressions, clicks and revenue of a period, including both of its days (spec §4). */

import { day, formatDay } from "../../base/calendar.ts";
import type { AccountWorld } from "../../world/accounts/accounts.ts";
import { noTotals, type Totals } from "../../world/publishers/seeded-publisher.ts";
import { type Operator, readSuccess, refused } from "./outcome.ts";
import { amountReaderOf, surfaceTotals } from "./revenue.ts";
import { surfaceNotFound } from "./surfaces.ts";

const DEFAULT_DAYS_BACK = 30;

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
