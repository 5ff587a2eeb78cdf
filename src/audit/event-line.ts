/** A line of the audit: what became of recording requests, from the tally and the record. */

import { microsToInr } from "../base/money.ts";
import { createEventTally, type EventTally } from "../world/accounts/state.ts";

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
export interface Figures extends Readonly<EventTally> {
  readonly recordedMicros: number;
}

export interface FiguresByOperation {
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
