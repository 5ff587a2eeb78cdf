/** The proleptic Gregorian calendar in integers. Never reads the host's time zone or locale. */

import { decimal, threeDigits } from "./decimal.ts";
import { DAY_MS } from "./duration.ts";

declare const dayBrand: unique symbol;
/** A calendar day, counted from 1970-01-01 = 0. */
export type Day = number & { readonly [dayBrand]: true };

/** The last instant of a world, in milliseconds since 1970: the end of the year 9999 in India, at 18:30 UTC. */
export const LAST_INSTANT_MS = 253_402_280_999_999;
/** The last instant that has a four-digit year in UTC. */
const LAST_WRITABLE_MS = 253_402_300_799_999;
/** The first instant that has a four-digit year, in milliseconds since 1970. */
const FIRST_INSTANT_MS = -62_167_219_200_000;

/** The only constructor of `Day`. */
export function day(daysSince1970: number): Day {
  return daysSince1970 as Day;
}

/** The day that an instant falls on in a time zone that is `offsetMs` ahead of UTC. */
export function dayOfInstant(instantMs: number, offsetMs: number): Day {
  return day(Math.floor((instantMs + offsetMs) / DAY_MS));
}

/** Reads `YYYY-MM-DD`. @returns undefined if the text has another form or the day doesn't exist. */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const dayOfMonth = Number(text.slice(8, 10));
  if (month < 1 || month > 12 || dayOfMonth < 1) return undefined;
  const first = firstDayOfMonth(year * 12 + month - 1);
  const next = firstDayOfMonth(year * 12 + month);
  return dayOfMonth <= next - first ? day(first + dayOfMonth - 1) : undefined;
}

/** `YYYY-MM-DD`. */
export function formatDay(of: Day): string {
  const { year, month, dayOfMonth } = civil(of);
  const years = year < 1000 ? `0${threeDigits(year)}` : decimal(year);
  return `${years}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

/** Months since year 0: `year * 12 + (month - 1)`. */
export function monthOfDay(of: Day): number {
  const { year, month } = civil(of);
  return year * 12 + month - 1;
}

/** The first day of a month counted as in {@link monthOfDay}. */
export function firstDayOfMonth(monthIndex: number): Day {
  const year = Math.floor(monthIndex / 12);
  const month = monthIndex - year * 12;
  // Years start in March here, so that the leap day is the last day of a year.
  const shifted = month < 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const monthFromMarch = (month + 10) % 12;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5);
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return day(era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468);
}

/** 0 is Monday, 6 is Sunday. */
export function weekday(of: Day): number {
  return (((of + 3) % 7) + 7) % 7;
}

/** ISO 8601 in UTC with milliseconds: `2026-01-15T00:00:00.000Z`. */
export function formatInstant(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** An HTTP date (IMF-fixdate, RFC 9110 §5.6.7) in whole seconds, rounded up. */
export function formatHttpDate(instantMs: number): string {
  return new Date(Math.ceil(instantMs / 1000) * 1000).toUTCString();
}

/**
 * Reads an ISO 8601 instant with a zone (`2026-03-01T00:00:00Z`, `…+05:30`) or a bare date (its midnight in UTC).
 *
 * @returns milliseconds since 1970; undefined for anything else.
 */
export function parseInstant(text: string): number | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/.exec(
      text,
    );
  if (match?.[1] === undefined || parseDay(match[1]) === undefined) return undefined;
  const instantMs = Date.parse(text);
  return instantMs >= FIRST_INSTANT_MS && instantMs <= LAST_WRITABLE_MS ? instantMs : undefined;
}

function civil(of: Day): { year: number; month: number; dayOfMonth: number } {
  const shifted = of + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

function twoDigits(value: number): string {
  return value < 10 ? `0${decimal(value)}` : decimal(value);
}
