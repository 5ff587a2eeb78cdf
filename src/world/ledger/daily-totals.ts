/** One surface's running totals by day, so that a range of any length costs two look-ups. */

import { type Day, day } from "../../base/calendar.ts";
import { noTotals, type Totals } from "../publishers/seeded-history.ts";

/** `[day, impressions, clicks, micros]`. The last three are sums over that day and all before it. */
export type SavedDay = readonly [day: number, impressions: number, clicks: number, micros: number];

interface RunningTotals {
  readonly day: Day;
  impressions: number;
  clicks: number;
  micros: number;
}

export class DailyTotals {
  // Only days with an event, in order. Each has the sums up to and including itself.
  readonly #days: RunningTotals[];
  /** The last of them. Nearly every event falls on it. */
  #last: RunningTotals | undefined;

  constructor(days: RunningTotals[] = []) {
    this.#days = days;
    this.#last = days.at(-1);
  }

  addImpression(today: Day, micros: number): void {
    const sums = this.#open(today);
    sums.impressions += 1;
    sums.micros += micros;
  }

  addClick(today: Day, micros: number): void {
    const sums = this.#open(today);
    sums.clicks += 1;
    sums.micros += micros;
  }

  /** Totals from `from` to `to`, both included. */
  between(from: Day, to: Day): Totals {
    const end = this.#lastUpTo(to);
    const before = this.#lastUpTo(day(from - 1));
    return {
      impressions: (end?.impressions ?? 0) - (before?.impressions ?? 0),
      clicks: (end?.clicks ?? 0) - (before?.clicks ?? 0),
      micros: (end?.micros ?? 0) - (before?.micros ?? 0),
    };
  }

  /** The last day with an event. */
  get lastDay(): Day | undefined {
    return this.#last?.day;
  }

  /** The totals over all days. */
  get total(): Totals {
    const { impressions, clicks, micros } = this.#last ?? noTotals;
    return { impressions, clicks, micros };
  }

  copy(): DailyTotals {
    return new DailyTotals(this.#days.map((sums) => ({ ...sums })));
  }

  save(): SavedDay[] {
    return this.#days.map((sums) => [sums.day, sums.impressions, sums.clicks, sums.micros]);
  }

  static load(saved: readonly SavedDay[]): DailyTotals {
    const days = saved.map(([at, impressions, clicks, micros]) => ({
      day: day(at),
      impressions,
      clicks,
      micros,
    }));
    return new DailyTotals(days);
  }

  #open(today: Day): RunningTotals {
    const last = this.#last;
    if (last !== undefined && last.day === today) return last;
    const opened: RunningTotals = {
      day: today,
      impressions: last?.impressions ?? 0,
      clicks: last?.clicks ?? 0,
      micros: last?.micros ?? 0,
    };
    this.#days.push(opened);
    this.#last = opened;
    return opened;
  }

  #lastUpTo(limit: Day): RunningTotals | undefined {
    const last = this.#last;
    // Most periods end today.
    if (last === undefined || last.day <= limit) return last;
    let low = 0;
    let high = this.#days.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#days[middle]?.day ?? 0) <= limit) low = middle + 1;
      else high = middle;
    }
    return this.#days[low - 1];
  }
}
