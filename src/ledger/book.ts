/** One publisher's book: what was recorded, and the only place that writes it down. Who may record what is decided before. */

import type { Day } from "../base/calendar.ts";
import type { Totals } from "../publishers/baseline.ts";
import { DailyTotals, type SavedDay } from "./daily-totals.ts";
import { ImpressionColumns, type SavedColumns } from "./impression-columns.ts";
import { type Fingerprint, RecentImpressions, type SavedRecent } from "./recent-impressions.ts";

/** An instant and the day that it falls on. */
export interface Moment {
  readonly nowMs: number;
  readonly today: Day;
}

/** A book as JSON. */
export interface SavedBook {
  readonly impressions: SavedColumns;
  readonly days: readonly (readonly SavedDay[])[];
  readonly recent?: SavedRecent | undefined;
}

export class Book {
  readonly impressions: ImpressionColumns;
  readonly #recent: RecentImpressions;
  readonly #days: DailyTotals[];

  constructor(
    impressions: ImpressionColumns = new ImpressionColumns(),
    recent: RecentImpressions = new RecentImpressions(),
    days: DailyTotals[] = [],
  ) {
    this.impressions = impressions;
    this.#recent = recent;
    this.#days = days;
  }

  /** Writes an impression down and credits it. @returns its serial. */
  recordImpression(surfaceIndex: number, micros: number, moment: Moment): number {
    this.#surface(surfaceIndex).addImpression(moment.today, micros);
    return this.impressions.append(surfaceIndex, micros, moment.nowMs);
  }

  /** Writes a click on an impression down and credits it to the day of the click. */
  recordClick(serial: number, micros: number, moment: Moment): void {
    this.#surface(this.impressions.surfaceIndex(serial)).addClick(moment.today, micros);
    this.impressions.markClicked(serial);
  }

  /** The impression with this fingerprint recorded less than `windowMs` before `nowMs`. */
  duplicateOf(wanted: Fingerprint, nowMs: number, windowMs: number): number | undefined {
    const serial = this.#recent.find(wanted);
    if (serial === undefined) return undefined;
    return nowMs - this.impressions.recordedMs(serial) < windowMs ? serial : undefined;
  }

  /** Makes later impressions with this fingerprint duplicates of `serial`. */
  remember(wanted: Fingerprint, serial: number, nowMs: number, windowMs: number): void {
    this.#recent.remember(wanted, serial, nowMs, windowMs);
  }

  /** Frees what de-duplication no longer needs. */
  forget(nowMs: number, windowMs: number): void {
    this.#recent.forget(nowMs, windowMs);
  }

  /** Recorded totals of one surface from `from` to `to`, both included. */
  between(surfaceIndex: number, from: Day, to: Day): Totals {
    return this.#days[surfaceIndex]?.between(from, to) ?? nothing;
  }

  /** The last day on which anything was recorded. */
  get lastDay(): Day | undefined {
    let last: Day | undefined;
    for (const days of this.#days) {
      const candidate = days?.lastDay;
      if (candidate !== undefined && (last === undefined || candidate > last)) last = candidate;
    }
    return last;
  }

  /**
   * Whether the daily totals are those of the impressions, each on a surface and none after `nowMs`. `clickMicros`: for
   * every surface what a click on it earns, where it earns.
   */
  isConsistent(clickMicros: readonly number[], nowMs: number): boolean {
    const sums = this.#days.map((days) => days.total);
    const counted = clickMicros.map(() => ({ impressions: 0, clicks: 0, micros: 0 }));
    let latestMs = Number.NEGATIVE_INFINITY;
    for (let serial = 0; serial < this.impressions.count; serial += 1) {
      const surface = counted[this.impressions.surfaceIndex(serial)];
      if (surface === undefined) return false;
      const recordedMs = this.impressions.recordedMs(serial);
      if (recordedMs < latestMs || recordedMs > nowMs) return false;
      latestMs = recordedMs;
      surface.impressions += 1;
      surface.micros += this.impressions.micros(serial);
      if (this.impressions.isClicked(serial)) surface.clicks += 1;
    }
    return (
      sums.length <= counted.length &&
      counted.every((surface, index) => {
        const { impressions, clicks, micros } = sums[index] ?? nothing;
        const earnedByClicks = micros - surface.micros;
        return (
          surface.impressions === impressions &&
          surface.clicks === clicks &&
          (earnedByClicks === 0 || earnedByClicks === clicks * (clickMicros[index] ?? 0))
        );
      })
    );
  }

  save(): SavedBook {
    return {
      impressions: this.impressions.save(),
      days: Array.from(this.#days, (days) => days?.save() ?? []),
      recent: this.#recent.save(),
    };
  }

  /** @throws Error when the parts don't fit together. */
  static load(saved: SavedBook): Book {
    return new Book(
      ImpressionColumns.load(saved.impressions),
      RecentImpressions.load(saved.recent, saved.impressions.count),
      saved.days.map((days) => DailyTotals.load(days)),
    );
  }

  #surface(surfaceIndex: number): DailyTotals {
    while (this.#days.length <= surfaceIndex) this.#days.push(new DailyTotals());
    const days = this.#days[surfaceIndex];
    if (days === undefined)
      throw new RangeError(`Surface index ${surfaceIndex} is not a natural number.`);
    return days;
  }
}

const nothing: Totals = Object.freeze({ impressions: 0, clicks: 0, micros: 0 });
