/** The proleptic Gregorian calendar. Never reads the host's time zone or locale. */

import { DAY_MS } from "./duration.ts";

declare const dayBrand: unique symbol;
/** A calendar day, counted from 1970-01-01 = 0. */
export type Day = number & { readonly [dayBrand]: true };

/** The last instant of a world, in milliseconds since 1970: the end of the year 9999 in India, at 18:30 UTC. */
export const LAST_INSTANT_MS = 253_402_280_999_999;

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
  const found = day(Date.parse(`${text}T00:00Z`) / DAY_MS);
  // Some engines take 30 February for 2 March.
  return Number.isInteger(found) && formatDay(found) === text ? found : undefined;
}

/** `YYYY-MM-DD`. */
export function formatDay(of: Day): string {
  return formatInstant(of * DAY_MS).slice(0, 10);
}

/** Months since year 0: `year * 12 + (month - 1)`. */
export function monthOfDay(of: Day): number {
  const date = new Date(of * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The first day of a month counted as in {@link monthOfDay}. */
export function firstDayOfMonth(monthIndex: number): Day {
  return day(new Date(0).setUTCFullYear(0, monthIndex, 1) / DAY_MS);
}

/** ISO 8601 in UTC with milliseconds: `2026-01-15T00:00:00.000Z`. */
export function formatInstant(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** An HTTP date (IMF-fixdate, RFC 9110 §5.6.7) in whole seconds, rounded up. */
export function formatHttpDate(instantMs: number): string {
  return new Date(Math.ceil(instantMs / 1000) * 1000).toUTCString();
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/**
 * Reads an ISO 8601 instant with a zone (`2026-03-01T00:00:00Z`, `…+05:30`) or a bare date (its midnight in UTC).
 *
 * @returns milliseconds since 1970; undefined for anything else, and where the year in UTC isn't from 0 to 9999.
 */
export function parseInstant(text: string): number | undefined {
  const [, date = ""] = INSTANT.exec(text) ?? [];
  if (parseDay(date) === undefined) return undefined;
  const instantMs = Date.parse(text);
  // Other years are written with a sign and six digits.
  return /^\d/.test(formatInstant(instantMs)) ? instantMs : undefined;
}
