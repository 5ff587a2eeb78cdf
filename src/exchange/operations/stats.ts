/** `GET /v1/publisher/stats`: impressions, clicks and revenue of a period, including both of its days (spec §4). */

import { type Day, day, formatDay } from "../../base/calendar.ts";
import { decimal } from "../../base/decimal.ts";
import type { AssumptionKey, Choice } from "../../spec/assumptions/catalogue.ts";
import type { Input } from "../../spec/operations.ts";
import type { Account } from "../../world/accounts/account.ts";
import { type Moment, totalsBetween } from "../../world/ledger/book.ts";
import { noTotals, type Totals } from "../../world/publishers/seeded-history.ts";
import { type AmountWriter, amountWriterOf } from "./amounts.ts";
import type { OperationWorld } from "./operation-world.ts";
import { type Outcome, readSuccess, refused, type ShapedBy } from "./outcome.ts";
import { historyShapedBy, surfaceTotals } from "./revenue.ts";
import { surfaceNotFound } from "./surfaces.ts";

export type Stats = (input: Input<"stats">, account: Account, moment: Moment) => Outcome;

interface Period {
  readonly from: Day;
  readonly to: Day;
}

const shapedByInversion: ShapedBy = ["date.inverted-range"];

const DEFAULT_DAYS_BACK = 30;

export function createStats({ assumptions, population }: OperationWorld): Stats {
  const { startDay } = population;
  const invert = inverted[assumptions["date.inverted-range"]];
  const lists = listed[assumptions["stats.surfaces"]];
  const lagDays = lags[assumptions["stats.today"]];
  const inr = amountWriterOf(assumptions);

  return (input, account, { today }) => {
    const asked = { from: input.from ?? day(today - DEFAULT_DAYS_BACK), to: input.to ?? today };
    const period = asked.from > asked.to ? invert(asked, input) : asked;
    if ("kind" in period) return period;
    const only =
      input.surface === undefined ? undefined : account.surfaceIndexes.get(input.surface);
    if (input.surface !== undefined && only === undefined) return surfaceNotFound;

    const byDate = input.from !== undefined && input.to !== undefined;
    // The time zone doesn't change days of seeded history that were given by date.
    const shapedBy: AssumptionKey[] = byDate && period.to < startDay ? [] : ["date.timezone"];
    if (asked.from > asked.to) shapedBy.push(...shapedByInversion);
    return readSuccess(bodyOf(account, period, only, today, shapedBy), shapedBy);
  };

  /** The body of the response. Adds the assumptions that shaped its figures and rows to `shapedBy`. */
  function bodyOf(
    account: Account,
    { from, to }: Period,
    only: number | undefined,
    today: Day,
    shapedBy: AssumptionKey[],
  ): string {
    const end = day(Math.min(to, today - lagDays));
    const totals = from > end ? [] : surfaceTotals(population, account, from, end);
    const hasToday = from <= today && today <= to;
    let busyToday = false;
    let quiet = false;
    let rows = "";
    let impressions = 0;
    let clicks = 0;
    let micros = 0;
    for (const [index, { id }] of account.surfaces.entries()) {
      if (only !== undefined && index !== only) continue;
      const row = totals[index] ?? noTotals;
      busyToday ||= hasToday && hasTraffic(totalsBetween(account.book, index, today, today));
      impressions += row.impressions;
      clicks += row.clicks;
      micros += row.micros;
      quiet ||= !hasTraffic(row);
      if (lists(row)) rows += rowOf(id, row, rows === "", inr);
    }
    shapedBy.push(...historyShapedBy(population, account, from, end, only));
    if (busyToday) shapedBy.push("stats.today");
    if (quiet) shapedBy.push("stats.surfaces");
    return (
      `{"publisher_id":"${account.id}",` +
      `"period":{"from":"${formatDay(from)}","to":"${formatDay(to)}"},` +
      `"impressions":${decimal(impressions)},"clicks":${decimal(clicks)},` +
      `"revenue_inr":${inr(micros)},"surfaces":[${rows}]}`
    );
  }
}

function rowOf(
  id: string,
  { impressions, micros }: Totals,
  first: boolean,
  inr: AmountWriter,
): string {
  const comma = first ? "" : ",";
  return `${comma}{"id":"${id}","impressions":${decimal(impressions)},"revenue":${inr(micros)}}`;
}

const inverted = {
  reject: (period, input) => {
    const [from, to] = [formatDay(period.from), formatDay(period.to)];
    // Names a parameter that was sent.
    const [parameter, detail] =
      input.from === undefined
        ? ["to", `to must not be before ${from}, 30 days before today: from wasn't sent.`]
        : input.to === undefined
          ? ["from", `from must not be after today, ${to}: to wasn't sent.`]
          : ["from", `from must not be after to: ${from} is after ${to}.`];
    return refused({ code: "invalid_parameter", detail, parameter }, ...shapedByInversion);
  },
  // The period stays as it was sent and contains no day.
  empty: (period) => period,
} satisfies Record<
  Choice<"date.inverted-range">,
  (period: Period, input: Input<"stats">) => Period | Outcome
>;

/** Also counts clicks, because a click may come on another day than its impression. */
function hasTraffic({ impressions, clicks }: Totals): boolean {
  return impressions > 0 || clicks > 0;
}

const listed = { all: () => true, "with-traffic": hasTraffic } satisfies Record<
  Choice<"stats.surfaces">,
  (totals: Totals) => boolean
>;

/** How many days the figures lag behind. */
const lags = { live: 0, "next-day": 1 } satisfies Record<Choice<"stats.today">, number>;
