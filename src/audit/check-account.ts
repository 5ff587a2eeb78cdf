/**
 * Compares the tallies of requests with the book, and the book with itself: its columns, its daily totals and the payouts
 * that follow from them. Reads only.
 */

import { type Day, day } from "../base/calendar.ts";
import { formatInr, microsToInr } from "../base/money.ts";
import type { Account } from "../world/accounts/account.ts";
import type { EventTally, Tally } from "../world/accounts/tally.ts";
import { type BookState, lifetimeTotals, MAX_SURFACES } from "../world/ledger/book.ts";
import type { PayoutHistory } from "../world/ledger/payout-history.ts";
import type { SeededHistory, Totals } from "../world/publishers/seeded-history.ts";
import { answeredCount, type FiguresByOperation } from "./event-line.ts";

/** The figures of an account's books, and where they disagree. */
export interface Books {
  readonly recorded: FiguresByOperation;
  /** All impressions and clicks on record. */
  readonly events: { readonly impressions: number; readonly clicks: number };
  /** In micro-INR, the seeded history included. */
  readonly revenueMicros: number;
  readonly paidMicros: number;
  readonly pendingMicros: number;
  /** Each names what disagrees, with both figures. Empty if all agree. */
  readonly discrepancies: readonly string[];
}

/** The amounts of {@link Books} in INR: revenue = paid + pending. */
export interface BookAmounts {
  readonly revenueInr: number;
  readonly paidInr: number;
  readonly pendingInr: number;
}

export function amountsOf({ revenueMicros, paidMicros, pendingMicros }: Books): BookAmounts {
  return {
    revenueInr: microsToInr(revenueMicros),
    paidInr: microsToInr(paidMicros),
    pendingInr: microsToInr(pendingMicros),
  };
}

/** Two figures that must be equal. */
type FigurePair = readonly [
  what: string,
  left: readonly [where: string, figure: number],
  right: readonly [where: string, figure: number],
  unit?: "INR",
];

export function booksOf(
  account: Account,
  baseline: SeededHistory | undefined,
  { payouts, pending }: PayoutHistory,
): Books {
  const { tally, book } = account;
  const columns = columnSums(book);
  const surfaces = lifetimeTotals(book);
  const days = sumOf(surfaces);
  const recorded = {
    impressions: { tally: tally.impression, recordedMicros: columns.micros },
    clicks: { tally: tally.click, recordedMicros: days.micros - columns.micros },
  };
  const history = account.surfaces.map((_, index) => baseline?.between(index, FIRST_DAY, LAST_DAY));
  const earnedMicros =
    sumOf(history.filter((one) => one !== undefined)).micros +
    creditedMicros(tally.impression) +
    creditedMicros(tally.click);
  const paidMicros = payouts.reduce((sum, { amount }) => sum + amount, 0);

  const checks: FigurePair[] = [
    ["impressions", ["applied by requests", tally.impression.applied], ["in the book", book.count]],
    ["impressions", ["in the book", book.count], ["in its daily totals", days.impressions]],
    ["clicks", ["applied by requests", tally.click.applied], ["in the daily totals", days.clicks]],
    [
      "credits of impressions",
      ["in answers", creditedMicros(tally.impression)],
      ["in the book", columns.micros],
      "INR",
    ],
    [
      "revenue",
      ["credited in answers", creditedMicros(tally.impression) + creditedMicros(tally.click)],
      ["in the daily totals", days.micros],
      "INR",
    ],
    [
      "lifetime revenue",
      ["earned", earnedMicros],
      ["paid out and pending", paidMicros + pending],
      "INR",
    ],
    ...surfacesIn(columns.bySurface, surfaces).map(
      (index): FigurePair => [
        `impressions on surface ${account.surfaces[index]?.id ?? `number ${index + 1}`}`,
        ["in the book", columns.bySurface[index] ?? 0],
        ["in its daily totals", surfaces[index]?.impressions ?? 0],
      ],
    ),
  ];
  return {
    recorded,
    events: { impressions: book.count, clicks: days.clicks },
    revenueMicros: paidMicros + pending,
    paidMicros,
    pendingMicros: pending,
    discrepancies: [
      ...checks.flatMap(pairDiscrepancies),
      ...clickDiscrepancies(columns.clicked, days.clicks),
      ...tallyDiscrepancies(tally),
    ],
  };
}

interface ColumnSums {
  /** What was credited. */
  readonly micros: number;
  /** How many impressions were clicked. */
  readonly clicked: number;
  /** Impressions of each surface, by its index. */
  readonly bySurface: readonly number[];
}

/** Reads every impression. */
function columnSums(book: BookState): ColumnSums {
  const bySurface = new Array<number>(MAX_SURFACES + 1).fill(0);
  for (const on of book.surface.subarray(0, book.count)) bySurface[on] = (bySurface[on] ?? 0) + 1;
  const micros = book.micros.subarray(0, book.count).reduce((sum, credit) => sum + credit, 0);
  const clicked = book.clicked.subarray(0, book.count).reduce((sum, bit) => sum + bit, 0);
  return { micros, clicked, bySurface };
}

const FIRST_DAY: Day = day(Number.MIN_SAFE_INTEGER);
const LAST_DAY: Day = day(Number.MAX_SAFE_INTEGER);

function sumOf(all: readonly Totals[]): Totals {
  const sums = { impressions: 0, clicks: 0, micros: 0 };
  for (const { impressions, clicks, micros } of all) {
    sums.impressions += impressions;
    sums.clicks += clicks;
    sums.micros += micros;
  }
  return sums;
}

function creditedMicros({ seenMicros, unseenMicros }: Readonly<EventTally>): number {
  return seenMicros + unseenMicros;
}

/** Indexes of the surfaces that have rows or totals. */
function surfacesIn(bySurface: readonly number[], totals: readonly Totals[]): number[] {
  return bySurface.flatMap((rows, index) => (rows > 0 || index < totals.length ? [index] : []));
}

function pairDiscrepancies([what, [where, left], [elsewhere, right], unit]: FigurePair): string[] {
  if (left === right) return [];
  const figure = (value: number): string => (unit === "INR" ? `${inrText(value)} INR` : `${value}`);
  return [`${what}: ${figure(left)} ${where}, ${figure(right)} ${elsewhere}`];
}

/** An edited snapshot can make an amount negative. */
function inrText(micros: number): string {
  return micros < 0 ? `-${formatInr(-micros)}` : formatInr(micros);
}

/** Every clicked impression has one click, or more if repeated clicks count. */
function clickDiscrepancies(clicked: number, clicks: number): string[] {
  if (clicked <= clicks && clicked > 0 === clicks > 0) return [];
  return [`clicked impressions: ${clicked} in the book, ${clicks} clicks in the daily totals`];
}

/** Figures that no requests can produce. */
export function tallyDiscrepancies({ impression, click }: Tally): string[] {
  return [
    ...impossibleFigures(impression).map((what) => `impression requests: ${what}`),
    ...impossibleFigures(click).map((what) => `click requests: ${what}`),
  ];
}

function impossibleFigures(tally: Readonly<EventTally>): string[] {
  const { applied, suppressed, refused, copies, lost } = tally;
  const negative = Object.entries(tally).filter(([, value]) => !(value >= 0));
  const served = applied + suppressed + refused;
  const found = negative.map(([name, value]) => `${name} is ${value}, which is impossible`);
  if (answeredCount(tally) < 0) {
    found.push(`${lost} answers lost and ${copies} copies, but only ${served} requests served`);
  }
  if (tally.unseen > Math.min(applied, lost + copies)) {
    found.push(
      `${tally.unseen} events unseen, but ${applied} applied and ${lost + copies} answers lost or to copies`,
    );
  }
  if (tally.unseen === 0 && tally.unseenMicros > 0) {
    found.push(`0 events unseen, but ${inrText(tally.unseenMicros)} INR credited for them`);
  }
  if (tally.unseen === applied && tally.seenMicros > 0) {
    found.push(`0 events seen, but ${inrText(tally.seenMicros)} INR credited for them`);
  }
  return found;
}
