/** What became of recording requests, as an audit shows it: a tally and what the book has, brought into one line. */

import { MICROS_PER_INR } from "../base/money.ts";
import { createEventTally, type EventTally, type Tally } from "../world/accounts/tally.ts";

/**
 * Recording requests and what became of them. A request is one attempt, and attempts = answered + injected + lost + dropped.
 * Amounts are in INR, exact to the micro.
 */
export interface EventLine {
  /** Requests that the client sent. */
  readonly attempts: number;
  /** The service's own answer arrived whole. */
  readonly answered: number;
  /** A fault rule answered in the service's place, which did nothing. */
  readonly injected: number;
  /** The service did its part, and its answer didn't arrive whole. */
  readonly lost: number;
  /** The service did nothing, and no answer came. */
  readonly dropped: number;
  /** A fault rule made the service do it once more. These aren't attempts, but they are in the six that follow. */
  readonly copies: number;
  /** Events written down. */
  readonly applied: number;
  /** Recognised as duplicates, whether refused as such or not. */
  readonly duplicatesSuppressed: number;
  /** Accepted, with nothing to write down. */
  readonly uncounted: number;
  /** Refused for another reason. */
  readonly refused: number;
  /** Events written down whose own answer no client got. */
  readonly unseen: number;
  /** Credits of events in answers that clients got, before any rounding to paise. */
  readonly creditedSeenInr: number;
  /** Credits of the unseen ones. */
  readonly creditedUnseenInr: number;
  /** What the ledger has on record. */
  readonly creditedRecordedInr: number;
}

/** Both operations together, and each by itself. */
export interface EventLines extends EventLine {
  readonly impressions: EventLine;
  readonly clicks: EventLine;
}

/** The figures of a line that add up. */
export interface Figures {
  readonly tally: Readonly<EventTally>;
  readonly recordedMicros: number;
}

export interface FiguresByOperation {
  readonly impressions: Figures;
  readonly clicks: Figures;
}

/** What nobody has an account for: nothing of it is on record. */
export function figuresWithoutAccount({ impression, click }: Tally): FiguresByOperation {
  return {
    impressions: { tally: impression, recordedMicros: 0 },
    clicks: { tally: click, recordedMicros: 0 },
  };
}

/** The line of all figures together. At least one. */
export function eventLinesOf(first: FiguresByOperation, ...more: FiguresByOperation[]): EventLines {
  const impressions = sumOf(...[first, ...more].map((one) => one.impressions));
  const clicks = sumOf(...[first, ...more].map((one) => one.clicks));
  return {
    ...lineOf(sumOf(impressions, clicks)),
    impressions: lineOf(impressions),
    clicks: lineOf(clicks),
  };
}

function sumOf(...all: Figures[]): Figures {
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
    uncounted: tally.uncounted,
    refused: tally.refused,
    unseen: tally.unseen,
    creditedSeenInr: microsToInr(tally.seenMicros),
    creditedUnseenInr: microsToInr(tally.unseenMicros),
    creditedRecordedInr: microsToInr(recordedMicros),
  };
}

/** How many requests got the service's own answer whole. */
export function answeredCount(tally: Readonly<EventTally>): number {
  const { applied, suppressed, uncounted, refused, copies, lost } = tally;
  return applied + suppressed + uncounted + refused - copies - lost;
}

/** The nearest number, which is written with the very digits of the amount. */
export function microsToInr(micros: number): number {
  return micros / MICROS_PER_INR;
}
