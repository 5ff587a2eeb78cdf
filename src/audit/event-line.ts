/** A line of the audit: what became of recording requests, from the tally and the book. */

import { microsToInr } from "../base/money.ts";
import { createEventTally, type EventTally, type Tally } from "../world/accounts/tally.ts";

/**
 * What became of recording requests. attempts = answered + injected + lost + dropped. Amounts are in INR, exact to the micro.
 */
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
  /** Credits in the ledger. */
  readonly creditedRecordedInr: number;
}

/** Both operations together, and each by itself. */
export interface EventLines extends EventLine {
  readonly impressions: EventLine;
  readonly clicks: EventLine;
}

/** The figures of a line, which can be summed. */
export interface Figures {
  readonly tally: Readonly<EventTally>;
  readonly recordedMicros: number;
}

export interface FiguresByOperation {
  readonly impressions: Figures;
  readonly clicks: Figures;
}

/** Requests that belong to no account: none of them is on record. */
export function figuresWithoutAccount({ impression, click }: Tally): FiguresByOperation {
  return {
    impressions: { tally: impression, recordedMicros: 0 },
    clicks: { tally: click, recordedMicros: 0 },
  };
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
  const tally = createEventTally();
  let recordedMicros = 0;
  for (const one of all) {
    for (const name of Object.keys(tally) as (keyof EventTally)[]) tally[name] += one.tally[name];
    recordedMicros += one.recordedMicros;
  }
  return { tally, recordedMicros };
}

function lineOf({ tally, recordedMicros }: Figures): EventLine {
  const answered = answeredCount(tally);
  return {
    attempts: answered + tally.injected + tally.lost + tally.dropped,
    answered,
    injected: tally.injected,
    lost: tally.lost,
    dropped: tally.dropped,
    copies: tally.copies,
    applied: tally.applied,
    duplicatesSuppressed: tally.suppressed,
    refused: tally.refused,
    unseen: tally.unseen,
    creditedSeenInr: microsToInr(tally.seenMicros),
    creditedUnseenInr: microsToInr(tally.unseenMicros),
    creditedRecordedInr: microsToInr(recordedMicros),
  };
}

/** How many requests got the service's answer whole. */
export function answeredCount(tally: Readonly<EventTally>): number {
  const { applied, suppressed, refused, copies, lost } = tally;
  return applied + suppressed + refused - copies - lost;
}
