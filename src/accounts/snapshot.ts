/** A world as JSON and back. A snapshot that is damaged, or not one, is refused before anything changes. */

import * as v from "valibot";
import { day, dayOfInstant, firstDayOfMonth, LAST_INSTANT_MS } from "../base/calendar.ts";
import type { Clock, ClockMode } from "../base/clock.ts";
import { InputError, parseInput } from "../base/input.ts";
import { documentedLimits } from "../contract/limits.ts";
import { Book, type SavedBook } from "../ledger/book.ts";
import type { Ids } from "../publishers/ids.ts";
import type { Person } from "../publishers/people.ts";
import { MAX_POPULATION, type Population, type SurfaceTerms } from "../publishers/population.ts";
import type { Profile } from "../publishers/profiles.ts";
import { type Bucket, createAccount } from "./account.ts";
import type { Accounts } from "./accounts.ts";

/** An account as JSON. */
interface SavedAccount {
  readonly ordinal: number;
  readonly keySerial: number;
  readonly joined: number;
  readonly person?: Person | undefined;
  readonly surfaces: readonly SurfaceTerms[];
  readonly recordingBucket: Bucket;
  readonly reportingBucket: Bucket;
  readonly book: SavedBook;
}

/** The whole state of a world, as JSON. Opaque: what is in it may change whenever `version` does. */
export interface Snapshot {
  readonly format: "adsim-snapshot";
  readonly version: 1;
  readonly seed: string;
  readonly start: number;
  readonly publishers: number;
  readonly profile: Profile;
  readonly assumptions: Readonly<Record<string, string>>;
  readonly clock: { readonly mode: ClockMode; readonly now: number };
  readonly accounts: readonly SavedAccount[];
}

/** 1 paisa in micro-INR. */
const MICROS_PER_PAISA = 10_000;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const instant = v.pipe(v.number(), v.safeInteger());
/** What comes from outside must be a time that can be written down, or the next answer would fail. */
const worldInstant = v.pipe(
  instant,
  v.minValue(0, "must not be before 1970"),
  v.maxValue(LAST_INSTANT_MS, "must not be past the year 9999"),
);
const dayNumber = v.pipe(
  instant,
  v.minValue(firstDayOfMonth(0), "must not be before the year 0"),
  v.maxValue(dayOfInstant(LAST_INSTANT_MS, 0), "must not be past the year 9999"),
);
const bucket = (limit: number) =>
  v.strictObject({
    window: instant,
    used: v.pipe(count, v.maxValue(limit, `must be at most ${limit}`)),
  });
const cpmPaise = v.pipe(
  v.strictTuple([count, count]),
  v.check(([lower, upper]) => lower <= upper, "must have its lower bound first"),
);
const generation = v.strictObject({ since: instant, used: count, slots: v.string() });
const savedAccount = v.strictObject({
  ordinal: count,
  keySerial: v.pipe(count, v.maxValue(0xffff_ffff, "must fit in 32 bits")),
  joined: dayNumber,
  person: v.optional(
    v.strictObject({
      name: v.string(),
      contact: v.strictObject({ name: v.string(), email: v.string() }),
      upiId: v.string(),
    }),
  ),
  surfaces: v.array(
    v.strictObject({
      id: v.string(),
      name: v.string(),
      status: v.string(),
      cpmPaise,
      cpcPaise: count,
    }),
  ),
  recordingBucket: bucket(documentedLimits.recording.requests),
  reportingBucket: bucket(documentedLimits.reporting.requests),
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
const snapshotSchema: v.GenericSchema<unknown, Snapshot> = v.strictObject({
  format: v.literal("adsim-snapshot", 'must be "adsim-snapshot": this is not a snapshot of adsim'),
  version: v.literal(1, "must be 1, the version that this adsim reads"),
  seed: v.string(),
  start: worldInstant,
  publishers: v.pipe(count, v.minValue(1), v.maxValue(MAX_POPULATION)),
  profile: v.picklist(["typical", "tiny", "adversarial"]),
  assumptions: v.record(v.string(), v.string()),
  clock: v.strictObject({ mode: v.picklist(["frozen", "flowing", "system"]), now: worldInstant }),
  accounts: v.array(savedAccount),
});

/** What is checked before any of it is used. @throws InputError that names the field. */
export function parseSnapshot(input: unknown): Snapshot {
  const snapshot = parseInput(snapshotSchema, input);
  if (snapshot.clock.now < snapshot.start) {
    throw new InputError("clock.now", "must not be before the world's start");
  }
  return snapshot;
}

/** `forget` frees what a book no longer needs: it has no place in a snapshot, swept before or not. */
export function saveAccounts(accounts: Accounts, forget: (book: Book) => void): SavedAccount[] {
  for (const { book } of accounts.opened()) forget(book);
  return Array.from(accounts.opened(), (account) => ({
    ordinal: account.ordinal,
    keySerial: account.keySerial,
    joined: account.joined,
    ...(account.person === undefined ? {} : { person: account.person }),
    surfaces: account.surfaces,
    recordingBucket: { ...account.recordingBucket },
    reportingBucket: { ...account.reportingBucket },
    book: account.book.save(),
  }));
}

/** Puts saved accounts into a world that has none. @throws InputError where they don't fit it. */
export function loadAccounts(
  saved: readonly SavedAccount[],
  into: {
    readonly accounts: Accounts;
    readonly ids: Ids;
    readonly population: Population;
    readonly clock: Clock;
  },
): void {
  for (const [index, from] of saved.entries()) {
    const field = `accounts.${index}`;
    let book: Book;
    try {
      book = Book.load(from.book);
    } catch (error) {
      throw new InputError(`${field}.book`, `is damaged: ${(error as Error).message}`);
    }
    const clickMicros = from.surfaces.map(({ cpcPaise }) => cpcPaise * MICROS_PER_PAISA);
    if (!book.isConsistent(clickMicros, into.clock.now())) {
      throw new InputError(`${field}.book`, "is damaged: its totals don't match its impressions");
    }
    const account = createAccount({
      ordinal: from.ordinal,
      id: into.ids.publisher.encode(from.ordinal, 0),
      apiKey: into.ids.apiKey.encode(from.ordinal, from.keySerial),
      keySerial: from.keySerial,
      joined: day(from.joined),
      priceKey: into.population.priceKey(from.ordinal),
      surfaces: from.surfaces,
      person: from.person,
      book,
      recordingBucket: from.recordingBucket,
      reportingBucket: from.reportingBucket,
    });
    if (!into.accounts.put(account)) {
      throw new InputError(`${field}.ordinal`, "is not the ordinal of a publisher of this world");
    }
  }
}
