/**
 * A publisher's synthetic history before the world's start: daily totals as a pure function of (seed, surface, day),
 * summed up front so that any range costs the same.
 */

import { type Day, day, weekday } from "../base/calendar.ts";
import { drawBetween, type Key, subKey } from "../base/random.ts";
import type { SeededPublisher, SurfaceTerms } from "./seeded-publisher.ts";

/** What a surface had in some days. `micros`: revenue in micro-INR. */
export interface Totals {
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
}

export interface Baseline {
  /** Totals of one surface from `from` to `to`, both included. Days outside the history count nothing. */
  between(surfaceIndex: number, from: Day, to: Day): Totals;
}

export interface BaselineOptions {
  readonly key: Key;
  readonly publisher: SeededPublisher;
  readonly startDay: Day;
  readonly dailyImpressions: readonly [lowest: number, highest: number];
}

/** Traffic from Monday to Sunday, in thousandths of the average working day: tools are used at work. */
const WEEKDAY_SHAPE: readonly number[] = [1000, 1060, 1050, 1030, 940, 540, 480];
/** Every fourth surface is quiet: an honest population has placements that nobody sees. */
const QUIET_ONE_IN = 4;

const nothing: Totals = Object.freeze({ impressions: 0, clicks: 0, micros: 0 });

/** A day's impressions, clicks and micros side by side: a look-up touches two places in memory, not six. */
const COLUMNS = 3;

/** Row `n` has the sums over the first `n` days. */
type Sums = Float64Array;

export function createBaseline(options: BaselineOptions): Baseline {
  const { joined, surfaces } = options.publisher;
  const days = options.startDay - joined;
  const sums = surfaces.map((surface, index) => sumDays(options, surface, index, days));
  return {
    between(surfaceIndex, from, to) {
      const surface = sums[surfaceIndex];
      const first = Math.max(0, from - joined) * COLUMNS;
      const end = Math.min(days, to - joined + 1) * COLUMNS;
      if (surface === undefined || first >= end) return nothing;
      return {
        impressions: (surface[end] ?? 0) - (surface[first] ?? 0),
        clicks: (surface[end + 1] ?? 0) - (surface[first + 1] ?? 0),
        micros: (surface[end + 2] ?? 0) - (surface[first + 2] ?? 0),
      };
    },
  };
}

function sumDays(
  options: BaselineOptions,
  surface: SurfaceTerms,
  index: number,
  days: number,
): Sums {
  const key = subKey(options.key, index);
  const { joined } = options.publisher;
  const quiet = drawBetween(key, -1, 1, QUIET_ONE_IN) === 1;
  const level = Math.floor(drawBetween(key, -2, ...options.dailyImpressions) / (quiet ? 40 : 1));
  const growthPerYear = drawBetween(key, -3, 0, 900);
  const clicksPerTenThousand = drawBetween(key, -4, 15, 260);
  const sums: Sums = new Float64Array((days + 1) * COLUMNS);
  for (let past = 0; past < days; past += 1) {
    const growth = 1000 + Math.floor((growthPerYear * past) / 365);
    const shape = WEEKDAY_SHAPE[weekday(day(joined + past))] ?? 1000;
    const noise = drawBetween(key, past * 3, 820, 1180);
    const impressions = Math.floor((level * growth * shape * noise) / 1e9);
    const clicks = Math.floor(
      (impressions * clicksPerTenThousand + drawBetween(key, past * 3 + 1, 0, 9999)) / 10_000,
    );
    const clicked = Math.min(impressions, clicks);
    // A thousandth of a cpm in paise is a whole number of micros: 1 paisa = 10,000 micros.
    const price = 10 * drawBetween(key, past * 3 + 2, ...surface.cpmPaise);
    const revenue = impressions * price + clicked * surface.cpcPaise * 10_000;
    const row = past * COLUMNS;
    sums[row + COLUMNS] = (sums[row] ?? 0) + impressions;
    sums[row + COLUMNS + 1] = (sums[row + 1] ?? 0) + clicked;
    sums[row + COLUMNS + 2] = (sums[row + 2] ?? 0) + revenue;
  }
  return sums;
}
