/** One publisher's recorded events. Only this file writes them; callers decide what may be recorded. */

import type { Day } from "../../base/calendar.ts";
import { noTotals, type Totals } from "../publishers/seeded-history.ts";
import { DailyTotals, type SavedDay } from "./daily-totals.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { ImpressionColumns, type SavedColumns } from "./impression-columns.ts";
import { RecentImpressions, type SavedRecent } from "./recent-impressions.ts";

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
  #recent: RecentImpressions;
  readonly #days: DailyTotals[];
  #revision = 0;

  constructor(
    impressions: ImpressionColumns = new ImpressionColumns(),
    recent: RecentImpressions = new RecentImpressions(),
    days: DailyTotals[] = [],
  ) {
    this.impressions = impressions;
    this.#recent = recent;
    this.#days = days;
  }

  /** Changes with every write: what was read at one revision is valid until the next. */
  get revision(): number {
    return this.#revision;
  }

  /** Records and credits an impression. @returns its serial. */
  recordImpression(surfaceIndex: number, micros: number, moment: Moment): number {
    this.#revision += 1;
    this.#surface(surfaceIndex).addImpression(moment.today, micros);
    return this.impressions.append(surfaceIndex, micros, moment.nowMs);
  }

  /** Records a click on an impression and credits it to the day of the click. */
  recordClick(serial: number, micros: number, moment: Moment): void {
    this.#revision += 1;
    this.#surface(this.impressions.surfaceIndex(serial)).addClick(moment.today, micros);
    this.impressions.markClicked(serial);
  }

  /**
   * Finds the impression with the same fingerprint that was recorded less than `windowMs` before `nowMs`. If there is none,
   * returns undefined and remembers the fingerprint for the next impression, which the caller must record now.
   */
  findOriginalOrRemember(
    repeated: Fingerprint,
    nowMs: number,
    windowMs: number,
  ): number | undefined {
    return this.#recent.findOriginalOrRemember(repeated, this.impressions, nowMs, windowMs);
  }

  /** Frees memory that de-duplication no longer needs. */
  forget(nowMs: number, windowMs: number): void {
    this.#recent.forget(nowMs, windowMs);
  }

  /** Forgets all fingerprints, so that no impression is a duplicate of one recorded so far. */
  forgetDuplicates(): void {
    this.#recent = new RecentImpressions();
  }

  /** Recorded totals of one surface from `from` to `to`, both included. */
  between(surfaceIndex: number, from: Day, to: Day): Totals {
    return this.#days[surfaceIndex]?.between(from, to) ?? noTotals;
  }

  /** How many clicks were recorded. */
  get clicks(): number {
    let clicks = 0;
    for (const days of this.#days) clicks += days.total.clicks;
    return clicks;
  }

  /** The totals of every surface over all days, by its index. */
  totals(): Totals[] {
    return this.#days.map((days) => days.total);
  }

  /** Whether `on` is the last day on which the surface had an event. */
  hasEventsOn(surfaceIndex: number, on: Day): boolean {
    return this.#days[surfaceIndex]?.lastDay === on;
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

  /** A copy for another world. Takes a few per cent of the time for saving and loading. */
  copy(): Book {
    const days = this.#days.map((one) => one.copy());
    return new Book(this.impressions.copy(), this.#recent.copy(), days);
  }

  save(): SavedBook {
    return {
      impressions: this.impressions.save(),
      days: Array.from(this.#days, (days) => days?.save() ?? []),
      recent: this.#recent.save(),
    };
  }

  static load(saved: SavedBook): Book {
    return new Book(
      ImpressionColumns.load(saved.impressions),
      RecentImpressions.load(saved.recent),
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
