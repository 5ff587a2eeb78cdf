/**
 * A publisher's figures on record, the pairs of them that must be equal, and the lines of an audit that sum them up. Reads
 * only.
 */

import { type Day, day } from "../base/calendar.ts";
import { microsToInr } from "../base/money.ts";
import { payoutHistoryOf, surfaceTotals } from "../exchange/operations/revenue.ts";
import type { Account } from "../world/accounts/account.ts";
import { createEventTally, type EventTally } from "../world/accounts/state.ts";
import { type BookState, lifetimeTotals } from "../world/ledger/book.ts";
import type { Population } from "../world/publishers/population.ts";
import type { Totals } from "../world/publishers/seeded-publisher.ts";

/** What became of recording requests. attempts = answered + injected + lost + dropped. Amounts are exact to the micro-INR. */
export interface EventLine {
  /** Requests that the client sent. */
  readonly attempts: number;
  /** The service answered, and its answer arrived whole. */
  readonly answered: number;
  /** A fault rule answered in place of the service, which did nothing. */
  readonly injected: number;
  /** The service acted, but its answer didn't arrive whole. */
  readonly lost: number;
  /** The service did nothing, and the client got no answer. */
  readonly dropped: number;
  /** Requests that a fault rule applied a second time. They aren't attempts, but the next five fields count them. */
  readonly copies: number;
  /** Events recorded. */
  readonly applied: number;
  /** Recognised as duplicates, refused or not. */
  readonly duplicatesSuppressed: number;
  /** Refused, other than as duplicates. */
  readonly refused: number;
  /** Events recorded whose answer no client got. */
  readonly unseen: number;
  /** Credits in the answers that clients got, before any rounding to paise. */
  readonly creditedSeenInr: number;
  /** Credits of the unseen events. */
  readonly creditedUnseenInr: number;
  /** Credits on record. */
  readonly creditedRecordedInr: number;
}

/** Both operations together, and each by itself. */
export interface EventLines extends EventLine {
  readonly impressions: EventLine;
  readonly clicks: EventLine;
}

/** The figures of one operation, which can be summed. */
interface Figures extends Readonly<EventTally> {
  readonly recordedMicros: number;
}

interface FiguresByOperation {
  readonly impressions: Figures;
  readonly clicks: Figures;
}

/** The sum of all figures, as a line. */
export function eventLinesOf(all: readonly FiguresByOperation[]): EventLines {
  const impressions = sumOf(all.map((one) => one.impressions));
  const clicks = sumOf(all.map((one) => one.clicks));
  return {
    ...lineOf(sumOf([impressions, clicks])),
    impressions: lineOf(impressions),
    clicks: lineOf(clicks),
  };
}

function sumOf(all: readonly Figures[]): Figures {
  const sum = { ...createEventTally(), recordedMicros: 0 };
  for (const one of all) {
    for (const name of Object.keys(sum) as (keyof Figures)[]) sum[name] += one[name];
  }
  return sum;
}

function lineOf(sum: Figures): EventLine {
  const { applied, suppressed, refused, copies, injected, dropped, lost, unseen } = sum;
  const answered = applied + suppressed + refused - copies - lost;
  return {
    attempts: answered + injected + lost + dropped,
    answered,
    injected,
    lost,
    dropped,
    copies,
    applied,
    duplicatesSuppressed: suppressed,
    refused,
    unseen,
    creditedSeenInr: microsToInr(sum.seenMicros),
    creditedUnseenInr: microsToInr(sum.unseenMicros),
    creditedRecordedInr: microsToInr(sum.recordedMicros),
  };
}

/** Lifetime amounts in INR, with the seeded history: revenue = paid + pending. */
export interface Amounts {
  readonly revenueInr: number;
  readonly paidInr: number;
  readonly pendingInr: number;
}

export interface PublisherFigures extends FiguresByOperation {
  readonly id: string;
  /** How many impressions and clicks are on record. */
  readonly count: number;
  readonly clickCount: number;
  readonly amounts: Amounts;
  /** The figures that must be equal and aren't. */
  readonly discrepancies: readonly string[];
}

/** Two figures that must be equal. */
type Pair = readonly [what: string, here: number, there: number];

const FIRST_DAY: Day = day(Number.MIN_SAFE_INTEGER);
const LAST_DAY: Day = day(Number.MAX_SAFE_INTEGER);

export function figuresOf(account: Account, population: Population, today: Day): PublisherFigures {
  const { id, surfaces, tally, book } = account;
  const { impression, click } = tally;
  const rows = sumOfRows(book);
  const daily = lifetimeTotals(book);
  const clicks = totalOf("clicks", daily);
  const micros = totalOf("micros", daily);
  const earned = totalOf("micros", surfaceTotals(population, account, FIRST_DAY, LAST_DAY));
  const { payouts, pending } = payoutHistoryOf(population, account, today);
  const paid = payouts.reduce((sum, { amount }) => sum + amount, 0);
  const forImpressions = impression.seenMicros + impression.unseenMicros;
  const forClicks = click.seenMicros + click.unseenMicros;
  const pairs: Pair[] = [
    ["impressions applied, and on record", impression.applied, book.count],
    ["clicks applied, and in the daily totals", click.applied, clicks],
    ["micro-INR for impressions in answers, and on record", forImpressions, rows.micros],
    ["micro-INR in answers, and in the daily totals", forImpressions + forClicks, micros],
    ["micro-INR earned, and paid out or pending", earned, paid + pending],
    ...surfaces.map((surface, index): Pair => {
      const what = `impressions on surface ${surface.id} on record, and in the daily totals`;
      return [what, rows.impressions[index] ?? 0, daily[index]?.impressions ?? 0];
    }),
  ];
  return {
    id,
    impressions: { ...impression, recordedMicros: rows.micros },
    clicks: { ...click, recordedMicros: micros - rows.micros },
    count: book.count,
    clickCount: clicks,
    amounts: {
      revenueInr: microsToInr(paid + pending),
      paidInr: microsToInr(paid),
      pendingInr: microsToInr(pending),
    },
    discrepancies: discrepanciesIn(pairs),
  };
}

/** The pairs whose sides differ, in words. */
export function discrepanciesIn(pairs: readonly Pair[]): string[] {
  return pairs
    .filter(([, here, there]) => here !== there)
    .map(([what, here, there]) => `${what}: ${here} and ${there}`);
}

/** What was credited for all impressions, and how many there are on each surface, by its index. */
function sumOfRows({ count, surface, micros }: BookState) {
  const impressions: number[] = [];
  for (const on of surface.subarray(0, count)) impressions[on] = (impressions[on] ?? 0) + 1;
  const sum = micros.subarray(0, count).reduce((all, credit) => all + credit, 0);
  return { impressions, micros: sum };
}

function totalOf(figure: "clicks" | "micros", all: readonly Totals[]): number {
  return all.reduce((sum, one) => sum + one[figure], 0);
}
