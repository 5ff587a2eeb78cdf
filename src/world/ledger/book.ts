/** One publisher's book: what was recorded, and the only place that writes it down. Who may record what is decided before. */

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

  /** Another number after every write: what was read at one revision holds as long as it is the same. */
  get revision(): number {
    return this.#revision;
  }

  /** Writes an impression down and credits it. @returns its serial. */
  recordImpression(surfaceIndex: number, micros: number, moment: Moment): number {
    this.#revision += 1;
    this.#surface(surfaceIndex).addImpression(moment.today, micros);
    return this.impressions.append(surfaceIndex, micros, moment.nowMs);
  }

  /** Writes a click on an impression down and credits it to the day of the click. */
  recordClick(serial: number, micros: number, moment: Moment): void {
    this.#revision += 1;
    this.#surface(this.impressions.surfaceIndex(serial)).addClick(moment.today, micros);
    this.impressions.markClicked(serial);
  }

  /**
   * The impression that one with this fingerprint repeats: recorded less than `windowMs` before `nowMs`. Undefined where there
   * is none: the fingerprint is then kept for the next impression, which the caller must record now.
   */
  findOriginalOrRemember(
    repeated: Fingerprint,
    nowMs: number,
    windowMs: number,
  ): number | undefined {
    return this.#recent.findOriginalOrRemember(repeated, this.impressions, nowMs, windowMs);
  }

  /** Frees what de-duplication no longer needs. */
  forget(nowMs: number, windowMs: number): void {
    this.#recent.forget(nowMs, windowMs);
  }

  /** Frees all that de-duplication remembers: nothing recorded so far makes a duplicate any more. */
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

  /** What every surface has on all days, by its index. */
  totals(): Totals[] {
    return this.#days.map((days) => days.total);
  }

  /** Whether the surface had an event on its last day, and that is `on`. */
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

  /** The same book for another world: a few per cent of the time that saving and loading it takes. */
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
