/**
 * Payouts are a view: which calendar months are paid follows from the revenue and today's date, so the books can't
 * disagree with the events. Always: revenue since joining = paid + pending.
 */

import { type Day, day, firstDayOfMonth, monthOfDay } from "../base/calendar.ts";
import { MICROS_PER_INR, type Micros, micros } from "../base/money.ts";

/** What has to come together before it is paid; less rolls over to the next month. */
const PAYOUT_THRESHOLD: Micros = micros(500 * MICROS_PER_INR);
/** The day of the following month on which a month is paid. */
const PAYOUT_DAY_OF_MONTH = 7;

/** One payout. `month` counts months since year 0. */
export interface Payout {
  readonly month: number;
  readonly date: Day;
  readonly amount: Micros;
}

export interface PayoutHistory {
  /** Oldest first. */
  readonly payouts: readonly Payout[];
  readonly pending: Micros;
}

export interface Revenue {
  readonly joined: Day;
  /** No day after this one has revenue. */
  readonly lastDay: Day;
  /** Revenue from `from` to `to`, both included, in micro-INR. */
  between(from: Day, to: Day): number;
}

/** The payouts made up to and including `today`. */
export function payoutHistory(revenue: Revenue, today: Day): PayoutHistory {
  const payouts: Payout[] = [];
  let paid = 0;
  let rolledOver = 0;
  const lastMonth = monthOfDay(revenue.lastDay);
  for (let month = monthOfDay(revenue.joined); month <= lastMonth; month += 1) {
    const date = day(firstDayOfMonth(month + 1) + PAYOUT_DAY_OF_MONTH - 1);
    if (date > today) break;
    const due =
      rolledOver + revenue.between(firstDayOfMonth(month), day(firstDayOfMonth(month + 1) - 1));
    if (due < PAYOUT_THRESHOLD) {
      rolledOver = due;
      continue;
    }
    payouts.push({ month, date, amount: micros(due) });
    paid += due;
    rolledOver = 0;
  }
  return { payouts, pending: micros(revenue.between(revenue.joined, revenue.lastDay) - paid) };
}
