/**
 * Computes payouts from the revenue and today's date, and their statuses (spec §3) from the date. Nothing is stored, so payouts
 * can't disagree with the events. Always: revenue since joining = all payouts + pending, whatever the status of the payouts.
 */

import { type Day, day, firstDayOfMonth, monthOfDay } from "../../base/calendar.ts";
import { MICROS_PER_INR, type Micros, micros } from "../../base/money.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { PayoutStatus } from "../../spec/responses.ts";

/** The smallest payout. A smaller amount rolls over to the next month. */
const THRESHOLD = 500 * MICROS_PER_INR;
/** The day of the following month on which a month is paid. */
const PAYOUT_DAY_OF_MONTH = 7;

/** The payout of a month, counted from the year 0. `date` is the day on which it is first listed. */
interface Payout {
  readonly month: number;
  readonly date: Day;
  readonly amount: Micros;
}

export interface PayoutHistory {
  /** Oldest first. */
  readonly payouts: readonly Payout[];
  readonly pending: Micros;
}

interface Revenue {
  readonly joined: Day;
  /** The last day that may have revenue. */
  readonly lastDay: Day;
  /** Revenue from `from` to `to`, both included, in micro-INR. */
  between(from: Day, to: Day): number;
}

/** The payouts made up to and including `today`. */
export function payoutHistory(revenue: Revenue, today: Day): PayoutHistory {
  const payouts: Payout[] = [];
  let paid = 0;
  let rolledOver = 0;
  const last = monthOfDay(revenue.lastDay);
  for (let month = monthOfDay(revenue.joined); month <= last; month += 1) {
    const next = firstDayOfMonth(month + 1);
    const date = day(next + PAYOUT_DAY_OF_MONTH - 1);
    if (date > today) break;
    const due = rolledOver + revenue.between(firstDayOfMonth(month), day(next - 1));
    if (due < THRESHOLD) {
      rolledOver = due;
      continue;
    }
    payouts.push({ month, date, amount: micros(due) });
    paid += due;
    rolledOver = 0;
  }
  return { payouts, pending: micros(revenue.between(revenue.joined, revenue.lastDay) - paid) };
}

/** Statuses in order, and how many days after the payout's date each begins. The last one is final. */
type Lifecycle = readonly (readonly [sinceDay: number, status: PayoutStatus])[];

const ordinary: Lifecycle = [
  [0, "processing"],
  [3, "paid"],
];
const onHold: Lifecycle = [
  [0, "processing"],
  [3, "on_hold"],
  [40, "processing"],
  [42, "paid"],
];
const failed: Lifecycle = [
  [0, "processing"],
  [3, "failed"],
  [25, "processing"],
  [27, "paid"],
];
const reversed: Lifecycle = [
  [0, "processing"],
  [3, "paid"],
  [15, "reversed"],
];
/** A publisher's months take these in turn. */
const lifecycles: readonly Lifecycle[] = [ordinary, onHold, ordinary, failed, reversed];

/** The status of a publisher's payout on a day that isn't before its date. */
type StatusReader = (payout: Payout, publisher: number, today: Day) => PayoutStatus;

export const payoutStatusReaders: Readonly<Record<Choice<"payout.statuses">, StatusReader>> = {
  documented: () => "paid",
  extended,
  "extended-without-txn": extended,
};

function extended(payout: Payout, publisher: number, today: Day): PayoutStatus {
  const lifecycle = lifecycles[(payout.month + publisher) % lifecycles.length] ?? ordinary;
  const age = today - payout.date;
  let status: PayoutStatus = "processing";
  for (const [sinceDay, next] of lifecycle) if (age >= sinceDay) status = next;
  return status;
}

/** Whether a payment was made, which has a reference. A reversed payment keeps it. */
export function hasReference(status: PayoutStatus): boolean {
  return status === "paid" || status === "reversed";
}
