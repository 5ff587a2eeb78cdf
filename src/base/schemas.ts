/** Schemas of values that many inputs have: each is refused in the same words wherever it stands. */

import * as v from "valibot";
import { parseInstant } from "./calendar.ts";
import { namedSchema, type Schema } from "./schema-builders.ts";

/** What a field that isn't an instant is told. */
export const INSTANT_EXPECTED: string =
  'must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z"';

/** An instant as text that {@link parseInstant} reads. */
export const instantText: Schema<string> = namedSchema(
  "instant",
  () =>
    v.pipe(
      v.string(INSTANT_EXPECTED),
      v.check((text) => parseInstant(text) !== undefined, INSTANT_EXPECTED),
    ),
  'In ISO 8601, such as "2026-03-01T00:00:00Z".',
);

/** In characters. A seed is read anew with each draw, so that one of megabytes would make a world slow for minutes. */
const LONGEST_SEED = 1000;

/** What all made-up data follows from. */
export const seedText: Schema<string> = v.pipe(
  v.string(),
  v.maxLength(LONGEST_SEED, `must have at most ${LONGEST_SEED} characters`),
);

/** A whole number that is safe, from `least` on. `more`: what else is to be said of it. */
export function wholeFrom(least: number, more = ""): Schema<number> {
  const expected = `must be a whole number from ${least} on${more}`;
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(least, expected));
}

/** More than anybody has counted, and little enough to count on from. */
const MAX_COUNTED = 1e15;

/** A count that was saved. */
export const countSchema: Schema<number> = v.pipe(
  wholeFrom(0),
  v.maxValue(MAX_COUNTED, `must be at most ${MAX_COUNTED}`),
);
