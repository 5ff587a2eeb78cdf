/** Compares the calendar with the host's Date in UTC, and tests the tricky dates by example. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

const DAY_MS = 86_400_000;
const anyDay = fc.integer({ min: -719_528, max: 2_932_896 });
const iso = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

describe("days", () => {
  test("any day from year 0 to 9999 is formatted and parsed as ISO 8601", () => {
    fc.assert(
      fc.property(anyDay, (days) => {
        expect(formatDay(day(days))).toBe(iso(days));
        expect(parseDay(iso(days))).toBe(days);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("any day belongs to its calendar month, which begins on the 1st", () => {
    fc.assert(
      fc.property(anyDay, (days) => {
        const [year = 0, month = 0] = iso(days).split("-").map(Number);
        expect(monthOfDay(day(days))).toBe(year * 12 + month - 1);
        expect(formatDay(firstDayOfMonth(year * 12 + month - 1))).toBe(
          `${iso(days).slice(0, 8)}01`,
        );
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  test.each(["2024-02-29", "2028-02-29", "2000-02-29", "0000-02-29", "2026-12-31", "9999-12-31"])(
    "%s exists",
    (text) => {
      expect(parseDay(text)).toBeDefined();
    },
  );

  test.each([
    "2026-02-29",
    "1900-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-01-32",
    "2026-1-01",
    "26-01-01",
    "2026/01/01",
    "2026-01-01T00:00:00Z",
    " 2026-01-01",
    "2026-01-01\n",
    "２０２６-01-01",
    "-001-01-01",
    "10000-01-01",
    "",
  ])("%j is not a day", (text) => {
    expect(parseDay(text)).toBeUndefined();
  });

  test("the day after 28 February is the 29th in a leap year only", () => {
    const next = (text: string): string => formatDay(day((parseDay(text) ?? 0) + 1));
    expect(
      ["2024-02-28", "2025-02-28", "1900-02-28", "2000-02-28", "2026-12-31"].map(next),
    ).toEqual(["2024-02-29", "2025-03-01", "1900-03-01", "2000-02-29", "2027-01-01"]);
  });
});

describe("instants", () => {
  const istMs = 5.5 * 3_600_000;

  test("India's day begins at 18:30 UTC of the day before", () => {
    const midnight = Date.parse("2026-03-31T18:30:00Z");
    const days = [-1, 0, DAY_MS - 1, DAY_MS].map((nudge) =>
      formatDay(dayOfInstant(midnight + nudge, istMs)),
    );
    expect(days).toEqual(["2026-03-31", "2026-04-01", "2026-04-01", "2026-04-02"]);
  });

  test("an instant before 1970 falls on the right day", () => {
    expect(formatDay(dayOfInstant(-1, 0))).toBe("1969-12-31");
    expect(formatDay(dayOfInstant(-DAY_MS, 0))).toBe("1969-12-31");
  });

  test.each([
    ["2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01T00:00:00.007Z", "2026-03-01T00:00:00.007Z"],
    ["2026-03-01T05:30:00+05:30", "2026-03-01T00:00:00.000Z"],
    ["2026-02-28T19:00-05:00", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01", "2026-03-01T00:00:00.000Z"],
  ])("%s is read as %s", (text, expected) => {
    expect(formatInstant(parseInstant(text) ?? Number.NaN)).toBe(expected);
  });

  test.each([
    "2026-03-01T00:00:00",
    "2026-02-29T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "now",
    "1",
    "2026-03-01 00:00Z",
    "March 1, 2026",
  ])("%j is refused: it has no zone, names no real time, or has another format", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
