/** Days, months, weeks and years that are counted wrong. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const calendarDefects: readonly Defect[] = [
  ...noticedBy(["midnight-utc", "midnight-ist", "leap-day", "year-end", "default-period"], {
    says: "instants are rounded to whole seconds before their day is worked out",
    file: "base/calendar.ts",
    find: "return day(Math.floor((instantMs + offsetMs) / DAY_MS));",
    replace: "return day(Math.floor((Math.round(instantMs / 1000) * 1000 + offsetMs) / DAY_MS));",
  }),
  ...noticedBy(["midnight-utc", "midnight-ist", "leap-day", "year-end"], {
    says: "a click counts on the first day of its surface",
    file: "world/ledger/daily-totals.ts",
    find: "  addClick(today: Day, micros: number): void {\n    const sums = this.#open(today);",
    replace:
      "  addClick(_today: Day, micros: number): void {\n    for (const day of this.#days) {\n      day.clicks += 1;\n      day.micros += micros;\n    }\n    return;\n    const sums = this.#open(_today);",
  }),
  {
    scenario: "midnight-ist",
    says: "Indian time is five hours ahead",
    file: "exchange/operations/operation-world.ts",
    find: "ist: 5.5 * HOUR_MS,",
    replace: "ist: 5 * HOUR_MS,",
  },
  {
    scenario: "midnight-utc",
    says: "the default period is counted in the time of the host",
    file: "exchange/operations/operation-world.ts",
    find: "utc: 0,",
    replace: "utc: 1,",
  },
  {
    scenario: "leap-day",
    says: "every fourth year is a leap year",
    file: "base/calendar.ts",
    find: "const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);",
    replace: "const leapDays = Math.floor(yearOfEra / 4);",
  },
  ...noticedBy(["leap-day", "year-end"], {
    says: "a month's payout has the first day of the next in it",
    file: "world/ledger/payout-history.ts",
    find: "day(cycles.firstDay(cycle + 1) - 1));",
    replace: "day(cycles.firstDay(cycle + 1)));",
  }),
  {
    scenario: "year-end",
    says: "weeks begin on Sunday",
    file: "world/ledger/payout-history.ts",
    find: "const FIRST_MONDAY: Day = day(-719_533);",
    replace: "const FIRST_MONDAY: Day = day(-719_534);",
  },
  ...noticedBy(["default-period", "midnight-utc", "leap-day", "fresh-publisher"], {
    says: "the default period has 30 days",
    file: "exchange/operations/stats.ts",
    find: "const DEFAULT_DAYS_BACK = 30;",
    replace: "const DEFAULT_DAYS_BACK = 29;",
  }),
  {
    scenario: "default-period",
    says: "the default start counts back from the end that was asked for",
    file: "exchange/operations/stats.ts",
    find: "input.from ?? day(today - DEFAULT_DAYS_BACK)",
    replace: "input.from ?? day((input.to ?? today) - DEFAULT_DAYS_BACK)",
  },
  {
    scenario: "default-period",
    says: "an answer is reused after midnight",
    file: "exchange/operations/stats.ts",
    find: "last?.revision === revision &&\n      last.from === asked.from &&",
    replace: "last?.revision === revision &&\n      last.byDate === byDate &&",
  },
];
