/**
 * What the seed, or a sign-up, decides about a publisher: its terms, and its synthetic history before the world's start. The
 * history is daily totals as a pure function of (seed, surface, day). Sums are computed up front, so that every range costs
 * the same. Decision 031 says what makes it believable.
 */

import type { Day } from "../../base/calendar.ts";
import { drawBetween, type Key, subKey } from "../../base/random.ts";
import type { SurfaceStatus } from "../../spec/responses.ts";

/**
 * A surface's terms. `cpmPaise` bounds the price of a thousand impressions, in paise. `cpcMicros` is the price of a click, in
 * micro-INR.
 */
export interface SurfaceTerms {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpmPaise: readonly [lower: number, upper: number];
  readonly cpcMicros: number;
}

/** A publisher before anything has happened to it. */
export interface SeededPublisher {
  readonly ordinal: number;
  readonly joined: Day;
  readonly surfaces: readonly SurfaceTerms[];
}

/** What a publisher said when it signed up. */
export interface SignUp {
  readonly name: string;
  readonly joined: Day;
  readonly surfaces: readonly Pick<SurfaceTerms, "name" | "status" | "cpmPaise">[];
}

/** A surface's totals over some days. `micros` is revenue in micro-INR. */
export interface Totals {
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
}

export const noTotals: Totals = Object.freeze({ impressions: 0, clicks: 0, micros: 0 });

export interface SeededHistory {
  /** Totals of one surface from `from` to `to`, both included. Days outside the history count as 0. */
  between(surfaceIndex: number, from: Day, to: Day): Totals;
}

interface SeededHistoryOptions {
  readonly key: Key;
  readonly publisher: SeededPublisher;
  readonly startDay: Day;
  readonly dailyImpressions: readonly [lowest: number, highest: number];
}

/** Traffic from Thursday (as 1970-01-01 was) to Wednesday, in thousandths of an ordinary working day: tools are used at work. */
const WEEKDAY_FACTORS: readonly number[] = [1030, 940, 540, 480, 1000, 1060, 1050];
/** On average one surface in four is quiet: a realistic population has placements that hardly anybody sees. */
const QUIET_ONE_IN = 4;
/** A paused surface was paused at most this many days before the world's start. */
const LONGEST_PAUSE_DAYS = 60;

/** How many days of the history a surface had traffic, by its status at the world's start. */
const trafficDays = {
  active: (_key, days) => days,
  paused: (key, days) =>
    Math.max(0, days - drawBetween(key, -6, 1, Math.min(days, LONGEST_PAUSE_DAYS))),
  pending_review: () => 0,
  archived: (key, days) => Math.floor((days * drawBetween(key, -6, 20, 80)) / 100),
} satisfies Record<SurfaceStatus, (key: Key, days: number) => number>;

/** A day's impressions, clicks and micros are stored side by side: a look-up reads two places in memory, not six. */
const COLUMNS = 3;

interface SurfaceHistory {
  /** As if the surface had always been active: row `n` holds the sums over the first `n` days. */
  readonly sums: Float64Array;
  /** How many rows count. */
  readonly days: number;
}

export function createSeededHistory(options: SeededHistoryOptions): SeededHistory {
  const { key, publisher, startDay } = options;
  const { joined, surfaces } = publisher;
  const histories = surfaces.map((surface, index): SurfaceHistory => {
    const ownKey = subKey(key, index);
    const days = startDay - joined;
    // The seed chose it from these.
    const status = surface.status as SurfaceStatus;
    return {
      sums: sumDays(options, surface, ownKey, days),
      days: trafficDays[status](ownKey, days),
    };
  });

  return {
    between(surfaceIndex, from, to) {
      const history = histories[surfaceIndex];
      if (history === undefined) return noTotals;
      const { sums, days } = history;
      const first = Math.max(0, from - joined) * COLUMNS;
      const end = Math.min(days, to - joined + 1) * COLUMNS;
      if (first >= end) return noTotals;
      return {
        impressions: (sums[end] ?? 0) - (sums[first] ?? 0),
        clicks: (sums[end + 1] ?? 0) - (sums[first + 1] ?? 0),
        micros: (sums[end + 2] ?? 0) - (sums[first + 2] ?? 0),
      };
    },
  };
}

function sumDays(
  { publisher: { joined }, dailyImpressions }: SeededHistoryOptions,
  surface: SurfaceTerms,
  key: Key,
  days: number,
): Float64Array {
  const quiet = drawBetween(key, -1, 1, QUIET_ONE_IN) === 1;
  const level = Math.floor(drawBetween(key, -2, ...dailyImpressions) / (quiet ? 40 : 1));
  const growthPerYear = drawBetween(key, -3, 0, 900);
  const clicksPerTenThousand = drawBetween(key, -4, 40, 160);
  // Traffic ramps up after joining. On this day it reaches half of its level.
  const halfway = drawBetween(key, -5, 6, 28);
  const [lower, upper] = surface.cpmPaise;
  const sums = new Float64Array((days + 1) * COLUMNS);
  // In thousandths and ten-thousandths. A day's fraction carries over to the next, so that little traffic isn't rounded
  // to nothing, and clicks never exceed their share of the impressions so far.
  let impressionsBegun = 0;
  let clicksBegun = 0;
  for (let past = 0; past < days; past += 1) {
    const growth = 1000 + Math.floor((growthPerYear * past) / 365);
    const rampUp = Math.floor((1000 * (past + 1)) / (past + 1 + halfway));
    const weekdayFactor = WEEKDAY_FACTORS[(((joined + past) % 7) + 7) % 7] ?? 1000;
    const noise = drawBetween(key, past * 3, 820, 1180);
    // An ordinary day's impressions. In two steps, because a single product would exceed 2^53.
    const ordinary = Math.floor((level * growth * rampUp) / 1000);
    impressionsBegun += Math.floor((ordinary * weekdayFactor * noise) / 1e6);
    const row = past * COLUMNS;
    const allImpressions = Math.floor(impressionsBegun / 1000);
    const impressions = allImpressions - (sums[row] ?? 0);
    const mood = drawBetween(key, past * 3 + 1, 75, 125);
    clicksBegun += Math.floor((impressions * clicksPerTenThousand * mood) / 100);
    const allClicks = Math.floor(clicksBegun / 10_000);
    const clicks = allClicks - (sums[row + 1] ?? 0);
    // A thousandth of a cpm in paise is a whole number of micros: 1 paisa = 10,000 micros. The average of a day's prices
    // is near the middle of the range.
    const middle = drawBetween(key, past * 3 + 2, 400, 600);
    const price = 10 * lower + Math.floor(((upper - lower) * middle) / 100);
    const revenue = impressions * price + clicks * surface.cpcMicros;
    sums[row + COLUMNS] = allImpressions;
    sums[row + COLUMNS + 1] = allClicks;
    sums[row + COLUMNS + 2] = (sums[row + 2] ?? 0) + revenue;
  }
  return sums;
}
