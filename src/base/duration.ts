/** Durations as users write them ("90s", "15m") and as the rest of the code counts them (integer milliseconds). */

import { InputError, notSent } from "./input.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Whole milliseconds, or a whole number with a unit ("250ms", "90s", "15m", "36h", "30d"). @minimum 0 @multipleOf 1 @pattern ^\d{1,15}(ms|s|m|h|d)$ */
export type Duration = number | string;

/** The largest first. */
const units: Readonly<Record<string, number>> = {
  d: DAY_MS,
  h: HOUR_MS,
  m: MINUTE_MS,
  s: 1000,
  ms: 1,
};

/** The message for a field that isn't a duration. */
export const DURATION_EXPECTED =
  'must be whole milliseconds (1500) or a whole number with a unit ("250ms", "90s", "15m", "36h", "30d")';

export const DURATION_PATTERN = /^(\d{1,15})(ms|s|m|h|d)$/;

/** Milliseconds in `duration`. @throws InputError for anything but a whole, non-negative duration within a safe integer. */
export function durationMs(duration: Duration): number {
  const ms = msOf(duration);
  if (ms !== undefined) return ms;
  throw new InputError("duration", `${DURATION_EXPECTED}${notSent(duration)}`);
}

/** Whether {@link durationMs} accepts it. */
export function isDuration(value: unknown): value is Duration {
  return msOf(value) !== undefined;
}

function msOf(value: unknown): number | undefined {
  const [, count, unit = ""] = DURATION_PATTERN.exec(typeof value === "string" ? value : "") ?? [];
  const ms = typeof value === "number" ? value : Number(count) * (units[unit] ?? Number.NaN);
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined;
}

/** `250 ms`, `1 min 30 s`, `1 h 30 min`, `2 d`: to the millisecond, the largest unit first, without units that are zero. */
export function durationInWords(ms: number): string {
  const parts: string[] = [];
  let rest = Math.round(ms);
  for (const [unit, unitMs] of Object.entries(units)) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) parts.push(`${count} ${unit === "m" ? "min" : unit}`);
  }
  return parts.join(" ") || "0 ms";
}
