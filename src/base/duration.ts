/** Durations as users write them ("90s", "15m") and as the rest of the code counts them (integer milliseconds). */

import { InputError } from "./input.ts";

const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds, or a whole number with a unit: `"250ms"`, `"90s"`, `"15m"`, `"36h"`, `"30d"`. */
export type Duration = number | string;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/**
 * Milliseconds in `duration`.
 *
 * @throws InputError for anything that is not a whole, non-negative duration within a safe integer.
 */
export function durationMs(duration: Duration): number {
  const ms = msOf(duration);
  if (ms !== undefined && isWhole(ms)) return ms;
  throw new InputError("duration", `${DURATION_EXPECTED}${notSent(duration)}`);
}

/** The message for a field that isn't a duration. */
export const DURATION_EXPECTED: string =
  'must be whole milliseconds (1500) or a whole number with a unit ("250ms", "90s", "15m", "36h", "30d")';

export const DURATION_PATTERN = /^(\d{1,15})(ms|s|m|h|d)$/;

/** Whether {@link durationMs} accepts it. */
export function isDuration(value: unknown): value is Duration {
  const ms = msOf(value);
  return ms !== undefined && isWhole(ms);
}

function isWhole(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= 0;
}

function msOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" ? parse(value) : undefined;
}

/** `, not 5`: repeats what was sent, unless it could be an API key in the wrong place. */
function notSent(sent: unknown): string {
  if (typeof sent === "number") return `, not ${sent}`;
  const harmless = typeof sent === "string" && /^[-+]?[\d.]{0,15} ?[a-z]{0,7}$/i.test(sent);
  return harmless ? `, not ${JSON.stringify(sent)}` : "";
}

function parse(text: string): number | undefined {
  const match = DURATION_PATTERN.exec(text);
  const unit = unitMs[match?.[2] ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

/** `250 ms`, `1 min 30 s`, `1 h 30 min`, `2 d`: to the millisecond, the largest unit first, without units that are zero. */
export function durationInWords(ms: number): string {
  const parts: string[] = [];
  let rest = Math.round(ms);
  for (const [unit, unitMs] of wordUnits) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.length === 0 ? "0 ms" : parts.join(" ");
}

const wordUnits = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["min", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
] as const;
