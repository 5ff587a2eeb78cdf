/** The expected payouts, their statuses, and the pending amount (spec §2, §3). */

import { addDays, daysBetween, nextMonth } from "./calendar.ts";
import { expectEqual, expected } from "./check.ts";
import {
  type Answer,
  checkAmount,
  type Expectation,
  type OracleContext,
  success,
} from "./expectation.ts";
import { type Account, recorded } from "./facts.ts";
import { checkIdForm } from "./ids.ts";
import { DEFAULT_LIMIT, type Values } from "./inputs.ts";
import { checkMembers } from "./members.ts";

/** The smallest payout in micro-INR. */
const THRESHOLD = 500_000_000;

/** A month of days that is paid at once. */
interface Cycle {
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly date: string;
  next(): Cycle;
}

/** A calendar month, paid on the 7th of the next. Months count from the year 0. */
function monthly(month: string): Cycle {
  const next = nextMonth(month);
  return {
    number: Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1,
    from: `${month}-01`,
    to: addDays(`${next}-01`, -1),
    date: `${next}-07`,
    next: () => monthly(next),
  };
}

/** The lifecycles of payouts: each status with its first day, counted from the payout's date. */
const lifecycles: readonly (readonly (readonly [firstDay: number, status: string])[])[] = [
  ordinary(),
  [
    [0, "processing"],
    [3, "on_hold"],
    [40, "processing"],
    [42, "paid"],
  ],
  ordinary(),
  [
    [0, "processing"],
    [3, "failed"],
    [25, "processing"],
    [27, "paid"],
  ],
  [
    [0, "processing"],
    [3, "paid"],
    [15, "reversed"],
  ],
];

function ordinary(): readonly (readonly [number, string])[] {
  return [
    [0, "processing"],
    [3, "paid"],
  ];
}

interface Payout {
  readonly cycle: Cycle;
  readonly micros: number;
  readonly status: string;
}

export function expectPayouts(
  context: OracleContext,
  account: Account,
  values: Values,
  today: string,
): Expectation {
  const { choices, sometimes } = context;
  const limit = Number(values.limit ?? DEFAULT_LIMIT);
  const { payouts, pending } = historyOf(context, account, today);
  if (payouts.length > limit) sometimes("more payouts than the limit");
  const listed =
    choices["payout.order"] === "newest-first"
      ? payouts.toReversed().slice(0, limit)
      : payouts.slice(0, limit);
  return success((answer) => checkPayouts(context, account, listed, pending, answer));
}

function historyOf(
  context: OracleContext,
  account: Account,
  today: string,
): { payouts: Payout[]; pending: number } {
  const { sometimes } = context;
  const payouts: Payout[] = [];
  let waiting = 0;
  for (let cycle = monthly(account.joined.slice(0, 7)); ; cycle = cycle.next()) {
    const isDue = cycle.date <= today;
    // All revenue since the last paid cycle is pending.
    const to = isDue ? cycle.to : today;
    waiting += revenueOf(context, account, cycle.from, to);
    if (!isDue) return { payouts, pending: waiting };
    if (waiting < THRESHOLD) {
      if (waiting > 0) sometimes("a rollover");
      continue;
    }
    const status = statusOf(context, account, cycle, today);
    payouts.push({ cycle, micros: waiting, status });
    sometimes("a payout");
    waiting = 0;
  }
}

function statusOf(
  { choices, sometimes }: OracleContext,
  account: Account,
  cycle: Cycle,
  today: string,
): string {
  if (choices["payout.statuses"] === "documented") return "paid";
  const lifecycle = lifecycles[(cycle.number + account.ordinal) % 5] ?? [];
  const days = daysBetween(cycle.date, today);
  const status = lifecycle.findLast(([firstDay]) => days >= firstDay)?.[1] ?? "none";
  sometimes(`a payout that is ${status}`);
  return status;
}

function revenueOf(
  { facts, history }: OracleContext,
  { id }: Account,
  from: string,
  to: string,
): number {
  if (from > to) return 0;
  const since = recorded(facts, id, (day) => day >= from && day <= to);
  return history(id, { from, to }).micros + since.micros;
}

function checkPayouts(
  context: OracleContext,
  account: Account,
  listed: readonly Payout[],
  pending: number,
  { body }: Answer,
): void {
  expectEqual(
    "dates of the payouts",
    body.payouts.map((one: { date: string }) => one.date),
    listed.map(({ cycle }) => cycle.date),
  );
  for (const [index, payout] of listed.entries()) {
    checkPayout(context, account, payout, body.payouts[index]);
  }
  checkAmount("pending_inr", body.pending_inr, pending, context);
}

function checkPayout(
  context: OracleContext,
  account: Account,
  { cycle, micros, status }: Payout,
  shown: Answer["body"],
): void {
  const { choices, facts } = context;
  const isMade = status === "paid" || status === "reversed";
  const names = ["id", "date", "amount_inr", "upi_id", "status"];
  const hasReference = isMade || choices["payout.statuses"] === "extended";
  checkMembers(shown, hasReference ? [...names, "txn_id"] : names, choices);
  checkAmount(`amount of ${cycle.date}`, shown.amount_inr, micros, context);
  expectEqual("upi_id", shown.upi_id, account.upiId);
  expectEqual(`status of ${cycle.date}`, shown.status, status);
  checkIdForm(shown.id, "payout", choices["ids.format"]);
  expectSameId(facts.payoutIds, `${account.id} ${cycle.date}`, shown.id);
  if (isMade) {
    checkIdForm(shown.txn_id, "transaction", choices["ids.format"]);
    expectSameId(facts.references, `${account.id} ${cycle.date}`, shown.txn_id);
    return;
  }
  expectEqual("txn_id before it is paid", shown.txn_id, hasReference ? "" : undefined);
  context.sometimes(hasReference ? "a txn_id that is empty" : "a txn_id that is missing");
}

/** The same payout always has the same id, and no other payout has it. */
function expectSameId(known: Record<string, string>, what: string, id: string): void {
  const before = known[what];
  expectEqual(`the id of ${what}`, id, before ?? id);
  if (before !== undefined) return;
  expected("an id that nothing else has", !Object.values(known).includes(id), id);
  known[what] = id;
}
