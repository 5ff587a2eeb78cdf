/** Compares the calendar with the host's Date in UTC, and tests by example which texts are dates and instants. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  day,
  dayOfInstant,
  firstDayOfMonth,
  formatDay,
  formatInstant,
  monthOfDay,
  parseDay,
  parseInstant,
} from "../../src/base/calendar.ts";
import { DAY_MS } from "../../src/base/duration.ts";
import { isDay } from "../oracle/calendar.ts";

test("any day from year 0 to 9999 is written and read as ISO 8601, and belongs to its month", () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (days) => {
      const iso = new Date(days * DAY_MS).toISOString().slice(0, 10);
      expect([formatDay(day(days)), parseDay(iso)]).toEqual([iso, days]);
      const month = Number(iso.slice(0, 4)) * 12 + Number(iso.slice(5, 7)) - 1;
      expect(monthOfDay(day(days))).toBe(month);
      expect(formatDay(firstDayOfMonth(month))).toBe(`${iso.slice(0, 8)}01`);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test("a date that doesn't exist is no day: 29 February only in leap years", () => {
  const padded = (number: number, length: number): string => String(number).padStart(length, "0");
  for (const year of [0, 1900, 2000, 2024, 2025, 2100, 9999]) {
    for (let month = 0; month <= 13; month += 1) {
      for (let date = 0; date <= 32; date += 1) {
        const text = `${padded(year, 4)}-${padded(month, 2)}-${padded(date, 2)}`;
        expect(parseDay(text) !== undefined, text).toBe(isDay(text));
      }
    }
  }
});

test("a text in another form is no day", () => {
  const whole = [
    "2026-1-01",
    "26-01-01",
    "2026/01/01",
    "２０２６-01-01",
    "-001-01-01",
    "10000-01-01",
  ];
  for (const text of [...whole, "2026-01-01T00:00:00Z", " 2026-01-01", "2026-01-01\n", ""])
    expect(parseDay(text), text).toBeUndefined();
});

test.each([
  ["2026-03-31T18:29:59.999Z", 5.5, "2026-03-31"],
  ["2026-03-31T18:30:00Z", 5.5, "2026-04-01"],
  ["2026-04-01T18:29:59.999Z", 5.5, "2026-04-01"],
  ["1969-12-31T23:59:59.999Z", 0, "1969-12-31"],
  ["1969-12-31T00:00:00Z", 0, "1969-12-31"],
])("%s, %d hours ahead of UTC, is on %s", (instant, hours, expected) => {
  expect(formatDay(dayOfInstant(Date.parse(instant), hours * 3_600_000))).toBe(expected);
});

test.each([
  ["2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000Z"],
  ["2026-03-01T00:00:00.007Z", "2026-03-01T00:00:00.007Z"],
  ["2026-03-01T05:30:00+05:30", "2026-03-01T00:00:00.000Z"],
  ["2026-02-28T19:00-05:00", "2026-03-01T00:00:00.000Z"],
  ["2026-03-01", "2026-03-01T00:00:00.000Z"],
])("%s is the instant %s", (text, expected) => {
  expect(formatInstant(parseInstant(text) ?? Number.NaN)).toBe(expected);
});

test("a text without a zone, of no real time or in another form is no instant", () => {
  const unreal = ["2026-03-01T00:00:00", "2026-02-29T00:00:00Z", "2026-03-01T24:00:00Z"];
  for (const text of [...unreal, "now", "1", "2026-03-01 00:00Z", "March 1, 2026"])
    expect(parseInstant(text), text).toBeUndefined();
});
