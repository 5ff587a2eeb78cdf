/** Schemas that many inputs share, so that their errors use the same words everywhere. */

import * as v from "valibot";
import { parseInstant } from "./calendar.ts";
import { namedSchema, type Schema } from "./schema-builders.ts";

/** The message for a field that isn't an instant. */
export const INSTANT_EXPECTED = 'must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z"';

export const instantText: Schema<string> = namedSchema(
  "instant",
  () =>
    v.pipe(
      v.string(INSTANT_EXPECTED),
      v.check((text) => parseInstant(text) !== undefined, INSTANT_EXPECTED),
    ),
  'In ISO 8601, such as "2026-03-01T00:00:00Z".',
);

/** A safe integer of at least `least`. `more` is added to the error message. */
export function wholeFrom(least: number, more = ""): Schema<number> {
  const expected = `must be a whole number, ${least} or more${more}`;
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(least, expected));
}

/** A number within bounds, both included. */
export function numberBetween(least: number, most: number, what = "number"): Schema<number> {
  const expected = `must be a ${what} from ${least} to ${most}`;
  return v.pipe(v.number(expected), v.minValue(least, expected), v.maxValue(most, expected));
}

/** A safe integer within bounds, both included. */
export function wholeBetween(least: number, most: number): Schema<number> {
  const number = numberBetween(least, most, "whole number");
  return v.pipe(number, v.safeInteger(`must be a whole number from ${least} to ${most}`));
}
