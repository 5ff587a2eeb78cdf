/** The status of a payout on each day after it is first listed (spec §3). Computed from the date; nothing is stored. */

import type { Day } from "../../base/calendar.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { PayoutStatus } from "../../spec/responses.ts";
import type { Payout } from "./payout-history.ts";

/** Statuses in order, and how many days after the payout's date each begins. The last one is final. */
type Lifecycle = readonly (readonly [sinceDay: number, status: PayoutStatus])[];

const ordinary: Lifecycle = [
  [0, "processing"],
  [3, "paid"],
];
const held: Lifecycle = [
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
const lifecycles: readonly Lifecycle[] = [ordinary, held, ordinary, failed, reversed];

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
