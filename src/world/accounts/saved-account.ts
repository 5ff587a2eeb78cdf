/** The form of an account in a snapshot, and its schema. */

import * as v from "valibot";
import { dayOfInstant, firstDayOfMonth, LAST_INSTANT_MS } from "../../base/calendar.ts";
import { countSchema as count } from "../../base/schemas.ts";
import { surfaceStatuses } from "../../spec/responses.ts";
import type { SavedBook } from "../ledger/book.ts";
import { MAX_SURFACES } from "../ledger/impression-columns.ts";
import type { Person } from "../publishers/people.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import { type SavedBuckets, savedBucketSchema } from "./buckets.ts";
import { savedTallySchema, type Tally } from "./tally.ts";

/** An account as JSON, except that the book may be in another form. */
export interface AccountState<KeptBook> extends SavedBuckets {
  readonly ordinal: number;
  readonly keySerial: number;
  readonly joined: number;
  readonly person?: Person | undefined;
  readonly surfaces: readonly SurfaceTerms[];
  readonly tally: Tally;
  readonly book: KeptBook;
}

export type SavedAccount = AccountState<SavedBook>;

/** The highest bound of a price of a thousand impressions. */
const MAX_PAISE = 100_000_000;
/** The highest price of a click: 100 micro-INR for each paisa of the sum of both bounds. */
const MAX_CLICK_MICROS = 100 * 2 * MAX_PAISE;
const wellFormed = v.pipe(
  v.string(),
  v.minLength(1, "must not be empty"),
  v.maxLength(100_000, "must have at most 100,000 characters"),
  v.check((text) => text.isWellFormed(), "must be well-formed Unicode"),
);
const instant = v.pipe(v.number(), v.safeInteger());
const dayNumber = v.pipe(
  instant,
  v.minValue(firstDayOfMonth(0), "must not be before the year 0"),
  v.maxValue(dayOfInstant(LAST_INSTANT_MS, 0), "must not be past the year 9999"),
);
const cpmPaise = v.pipe(
  v.strictTuple([count, count]),
  v.check(([lower, upper]) => lower <= upper, "must have its lower bound first"),
  v.check(([, upper]) => upper <= MAX_PAISE, `must be at most ${MAX_PAISE} paise`),
);
const generation = v.strictObject({ since: instant, entries: v.string() });
/** Checks each member on its own. Later checks compare the members with each other and with the world. */
export const savedAccountSchema: v.GenericSchema<unknown, SavedAccount> = v.strictObject({
  ordinal: count,
  keySerial: v.pipe(count, v.maxValue(0x7fff_ffff, "must fit in 31 bits")),
  joined: dayNumber,
  person: v.optional(
    v.strictObject({
      name: wellFormed,
      contact: v.strictObject({ name: wellFormed, email: wellFormed }),
      upiId: wellFormed,
    }),
  ),
  surfaces: v.pipe(
    v.array(
      v.strictObject({
        id: v.string(),
        name: wellFormed,
        status: v.picklist(surfaceStatuses),
        statusBy: v.optional(v.literal("user")),
        cpmPaise,
        cpcMicros: v.pipe(
          count,
          v.maxValue(MAX_CLICK_MICROS, `must be at most ${MAX_CLICK_MICROS} micro-INR`),
        ),
      }),
    ),
    v.minLength(1, "must name at least one surface"),
    v.maxLength(MAX_SURFACES, `must name at most ${MAX_SURFACES} surfaces`),
  ),
  recordingBucket: savedBucketSchema,
  clickBucket: v.optional(savedBucketSchema),
  reportingBucket: savedBucketSchema,
  tally: savedTallySchema,
  book: v.strictObject({
    impressions: v.strictObject({
      count,
      epochs: v.array(v.strictTuple([count, instant])),
      surface: v.string(),
      micros: v.string(),
      time: v.string(),
      clicked: v.string(),
    }),
    days: v.array(v.array(v.strictTuple([dayNumber, count, count, count]))),
    recent: v.optional(
      v.strictObject({ latest: instant, current: generation, previous: generation }),
    ),
  }),
});
