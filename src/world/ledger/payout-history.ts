/**
 * Computes payouts from the revenue and today's date. Nothing is stored, so payouts can't disagree with the events. Always:
 * revenue since joining = all payouts + pending, whatever the status of the payouts.
 */

import { type Day, day, firstDayOfMonth, monthOfDay } from "../../base/calendar.ts";
import { MICROS_PER_INR, type Micros, micros } from "../../base/money.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";

/** The smallest payout by choice. A smaller amount rolls over to the next cycle; there is no payout of 0 INR. */
export const payoutThresholds: Readonly<Record<Choice<"payout.threshold">, Micros>> = {
  "500": micros(500 * MICROS_PER_INR),
  none: micros(1),
};
/** The day of the following month on which a month is paid. */
const PAYOUT_DAY_OF_MONTH = 7;
/** The day of the following week on which a week is paid: Wednesday. */
const PAYOUT_DAY_OF_WEEK = 3;
/** The Monday on or before the first day of the year 0. */
const FIRST_MONDAY: Day = day(-719_533);
/** Serials of weeks begin here, above those of all months, so that a week's ids never equal a month's. */
const FIRST_WEEK_SERIAL = 0x8000_0000;

/** A payment cycle. Cycles are counted from the year 0 on. */
export interface PayoutCycle {
  indexOf(of: Day): number;
  firstDay(index: number): Day;
  /** When the revenue of a cycle is paid: a day in the next cycle. */
  payDay(index: number): Day;
  /** The number that the ids of a cycle's payout encode, below 2^32. */
  serialOf(index: number): number;
}

export const payoutCycles: Readonly<Record<Choice<"payout.cycle">, PayoutCycle>> = {
  monthly: {
    indexOf: monthOfDay,
    firstDay: firstDayOfMonth,
    payDay: (index) => day(firstDayOfMonth(index + 1) + PAYOUT_DAY_OF_MONTH - 1),
    serialOf: (index) => index,
  },
  weekly: {
    indexOf: (of) => Math.floor((of - FIRST_MONDAY) / 7),
    firstDay: mondayOf,
    payDay: (index) => day(mondayOf(index + 1) + PAYOUT_DAY_OF_WEEK - 1),
    serialOf: (index) => FIRST_WEEK_SERIAL + index,
  },
};

/** The payout of a cycle. `date` is the day on which it is first listed. */
export interface Payout {
  readonly cycle: number;
  readonly date: Day;
  readonly amount: Micros;
}

export interface PayoutHistory {
  /** Oldest first. */
  readonly payouts: readonly Payout[];
  readonly pending: Micros;
  /** Whether another threshold would give other payouts. */
  readonly dependsOnThreshold: boolean;
}

export interface PayoutTerms {
  readonly cycles: PayoutCycle;
  readonly threshold: Micros;
}

export interface Revenue {
  readonly joined: Day;
  /** The last day that may have revenue. */
  readonly lastDay: Day;
  /** Revenue from `from` to `to`, both included, in micro-INR. */
  between(from: Day, to: Day): number;
}

/** The payouts made up to and including `today`. */
export function payoutHistory(
  revenue: Revenue,
  today: Day,
  { cycles, threshold }: PayoutTerms,
): PayoutHistory {
  const payouts: Payout[] = [];
  let paid = 0;
  let rolledOver = 0;
  let dependsOnThreshold = false;
  const lastCycle = cycles.indexOf(revenue.lastDay);
  for (let cycle = cycles.indexOf(revenue.joined); cycle <= lastCycle; cycle += 1) {
    const date = cycles.payDay(cycle);
    if (date > today) break;
    const due =
      rolledOver + revenue.between(cycles.firstDay(cycle), day(cycles.firstDay(cycle + 1) - 1));
    dependsOnThreshold ||= due > 0 && due < payoutThresholds["500"];
    if (due < threshold) {
      rolledOver = due;
      continue;
    }
    payouts.push({ cycle, date, amount: micros(due) });
    paid += due;
    rolledOver = 0;
  }
  const pending = micros(revenue.between(revenue.joined, revenue.lastDay) - paid);
  return { payouts, pending, dependsOnThreshold };
}

function mondayOf(week: number): Day {
  return day(FIRST_MONDAY + week * 7);
}
