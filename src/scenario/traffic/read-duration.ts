/** Durations of a traffic, refused by the name of their field. */

import { DURATION_EXPECTED, durationMs, isDuration } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";

/** Milliseconds. @throws InputError. */
export function readDuration(field: string, value: unknown): number {
  if (isDuration(value)) return durationMs(value);
  throw new InputError(field, DURATION_EXPECTED);
}

/** The same, and not none. @throws InputError. */
export function readSomeTime(field: string, value: unknown): number {
  const ms = readDuration(field, value);
  if (ms > 0) return ms;
  throw new InputError(field, "must be above 0");
}
