/** Saves a world as JSON and loads it. A damaged or foreign snapshot is refused before anything changes. */

import * as v from "valibot";
import { day, LAST_INSTANT_MS } from "../../base/calendar.ts";
import { type ClockMode, clockModes } from "../../base/clock.ts";
import { createDigest } from "../../base/digest.ts";
import { InputError, inField, isPlainObject, parseInput } from "../../base/input.ts";
import { countSchema as count, seedText } from "../../base/schemas.ts";
import { type SavedFaults, savedFaultsSchema } from "../../faults/saved-faults.ts";
import type { Book, SavedBook } from "../ledger/book.ts";
import type { Person } from "../publishers/people.ts";
import { MAX_POPULATION, type Population } from "../publishers/population.ts";
import { profileNames } from "../publishers/profiles.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import type { WorldSettings } from "../publishers/world-settings.ts";
import { type Account, createAccount } from "./account.ts";
import { type Accounts, type AccountWorld, accountsByOrdinal } from "./accounts.ts";
import type { BucketKeeper, Buckets, SavedBuckets } from "./buckets.ts";
import { type AccountState, type SavedAccount, savedAccountSchema } from "./saved-account.ts";
import { copyOfTally, savedTallySchema, type Tally } from "./tally.ts";

/** The first members of every snapshot. */
const snapshotBegin = { format: "adsim-snapshot", version: 5 } as const;

/** The whole state of a world as JSON. Opaque: its members may change with every `version`. */
export interface Snapshot extends Omit<WorldSettings, "startMs" | "assumptions"> {
  readonly format: "adsim-snapshot";
  readonly version: typeof snapshotBegin.version;
  /** A digest of all other members, which detects a damaged or edited snapshot. */
  readonly digest: string;
  readonly start: number;
  readonly assumptions: Readonly<Record<string, string>>;
  readonly clock: { readonly mode: ClockMode; readonly now: number };
  readonly faults: SavedFaults;
  /** Requests without a valid key. */
  readonly strangers: Tally;
  readonly accounts: readonly SavedAccount[];
}

/** Bounded to instants that can be written as text. With any other the next response would fail. */
const worldInstant = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0, "must not be before 1970"),
  v.maxValue(LAST_INSTANT_MS, "must not be past the year 9999"),
);
const snapshotSchema: v.GenericSchema<unknown, Snapshot> = v.strictObject({
  format: v.literal("adsim-snapshot", 'must be "adsim-snapshot": this is not a snapshot of adsim'),
  version: v.literal(
    snapshotBegin.version,
    `must be ${snapshotBegin.version}, the version that this adsim reads`,
  ),
  digest: v.string(),
  seed: seedText,
  start: worldInstant,
  publishers: v.pipe(count, v.minValue(1), v.maxValue(MAX_POPULATION)),
  profile: v.picklist(profileNames),
  assumptions: v.record(v.string(), v.string()),
  clock: v.strictObject({ mode: v.picklist(clockModes), now: worldInstant }),
  faults: savedFaultsSchema,
  strangers: savedTallySchema,
  accounts: v.array(savedAccountSchema),
});

/** Checks a snapshot before any of it is used. @throws InputError that names the invalid field. */
export function parseSnapshot(input: unknown): Snapshot {
  if (!isPlainObject(input)) {
    const source = "from sim.snapshot() or GET /_sim/snapshot";
    throw new InputError("", `must be an object ${source}`);
  }
  const { accounts: given, ...others } = input;
  const list = Array.isArray(given) ? given : undefined;
  const head = parseInput(snapshotSchema, { ...others, accounts: list === undefined ? given : [] });
  const accounts: SavedAccount[] = [];
  const digest = createDigest();
  digest.text(headText(head));
  for (const [index, one] of (list ?? []).entries()) {
    const account = inField(`accounts.${index}`, () => parseInput(savedAccountSchema, one));
    digest.text(JSON.stringify(account));
    accounts.push(account);
  }
  if (head.digest !== digest.value()) {
    throw new InputError(
      "digest",
      "doesn't match: the snapshot was damaged or edited. Take another snapshot of that world",
    );
  }
  if (head.clock.now < head.start) {
    throw new InputError("clock.now", "must not be before the world's start");
  }
  return { ...head, accounts };
}

/** The digest of a snapshot. Its members must be in the schema's order. */
export function snapshotDigest(snapshot: Omit<Snapshot, "digest">): string {
  const digest = createDigest();
  digest.text(headText(snapshot));
  // One text per account: a single string couldn't hold all accounts.
  for (const account of snapshot.accounts) digest.text(JSON.stringify(account));
  return digest.value();
}

/** All members that the digest covers, apart from the accounts. */
function headText({ accounts: _, ...rest }: Omit<Snapshot, "digest">): string {
  const assumptions = Object.fromEntries(Object.entries(rest.assumptions).sort());
  return JSON.stringify({ ...rest, digest: undefined, assumptions });
}

/** The state that a snapshot holds. `KeptBook` is the form of its books. */
export interface WorldState<KeptBook = SavedBook>
  extends Omit<Snapshot, "format" | "version" | "digest" | "accounts"> {
  readonly accounts: readonly AccountState<KeptBook>[];
}

/** Adds the format, the version and the digest. */
export function sealSnapshot(state: WorldState): Snapshot {
  return { ...snapshotBegin, digest: snapshotDigest({ ...snapshotBegin, ...state }), ...state };
}

/** `forget` drops what a book no longer needs, so that a snapshot never contains it. */
export function saveAccounts<KeptBook>(
  accounts: Accounts,
  forget: (book: Book) => void,
  saveBuckets: (buckets: Buckets) => SavedBuckets,
  keepBook: (book: Book) => KeptBook,
): AccountState<KeptBook>[] {
  for (const { book } of accounts.openedAccounts()) forget(book);
  return accountsByOrdinal(accounts).map((account) =>
    saveAccount(account, saveBuckets(account), keepBook(account.book)),
  );
}

export function saveAccount<KeptBook>(
  account: Account,
  buckets: SavedBuckets,
  book: KeptBook,
): AccountState<KeptBook> {
  return {
    ordinal: account.ordinal,
    keySerial: account.keySerial,
    joined: account.joined,
    ...(account.person === undefined ? {} : { person: savedPerson(account.person) }),
    surfaces: account.surfaces.map(savedSurface),
    ...buckets,
    tally: copyOfTally(account.tally),
    book,
  };
}

// Puts the members into the schema's order, which the digest depends on.
function savedPerson({ name, contact, upiId }: Person): Person {
  return { name, contact: { name: contact.name, email: contact.email }, upiId };
}

function savedSurface({
  id,
  name,
  status,
  statusBy,
  cpmPaise,
  cpcMicros,
}: SurfaceTerms): SurfaceTerms {
  const chosen = statusBy === undefined ? {} : { statusBy };
  return { id, name, status, ...chosen, cpmPaise: [cpmPaise[0], cpmPaise[1]], cpcMicros };
}

/** Adds saved accounts to a world that has none. @throws InputError if they don't belong to it. */
export function loadAccounts<KeptBook>(
  saved: readonly AccountState<KeptBook>[],
  into: AccountWorld & { readonly buckets: BucketKeeper },
  savedAtMs: number,
  bookOf: (kept: KeptBook) => Book,
): void {
  for (const [index, from] of saved.entries()) {
    const field = `accounts.${index}`;
    const buckets = into.buckets.load(from, savedAtMs, field);
    let book: Book;
    try {
      book = bookOf(from.book);
    } catch (error) {
      throw new InputError(`${field}.book`, `is damaged: ${(error as Error).message}`);
    }
    inField(field, () => checkOrigin(from, into.population));
    const { ordinal, keySerial, surfaces, person } = from;
    const [joined, tally] = [day(from.joined), copyOfTally(from.tally)];
    const account = createAccount(
      { ordinal, keySerial, joined, surfaces, person, tally, book, buckets },
      into,
    );
    if (!into.accounts.put(account)) {
      throw new InputError(`${field}.ordinal`, "is not the ordinal of a publisher of this world");
    }
    const misplaced = surfaces.findIndex(
      ({ id }, place) => id !== into.ids.surface.encode(ordinal, place),
    );
    if (misplaced !== -1) {
      throw new InputError(`${field}.surfaces.${misplaced}.id`, "is not the id of this surface");
    }
  }
}

/** @throws InputError that names the field that doesn't fit the seed. */
function checkOrigin(
  from: Pick<AccountState<unknown>, "ordinal" | "joined" | "person" | "surfaces">,
  population: Population,
): void {
  const { ordinal, joined, person, surfaces } = from;
  const refuse = (at: string, why: string): never => {
    throw new InputError(at, why);
  };
  if (ordinal >= population.size) {
    if (person === undefined) refuse("person", "is required: the publisher signed up");
    return;
  }
  if (person !== undefined) refuse("person", "must be left out: the publisher didn't sign up");
  const seeded = population.publisherAt(ordinal);
  if (joined !== seeded.joined) refuse("joined", "is not the day on which this publisher joined");
  if (surfaces.length !== seeded.surfaces.length)
    refuse("surfaces", "must be as many as the publisher has");
  for (const [index, { name, cpcMicros, status, statusBy }] of surfaces.entries()) {
    const own = seeded.surfaces[index];
    const at = `surfaces.${index}`;
    if (name !== own?.name) refuse(`${at}.name`, "is not the name of this surface");
    if (cpcMicros !== own?.cpcMicros) refuse(`${at}.cpcMicros`, "is not the price of its clicks");
    if (statusBy === undefined && status !== own?.status) {
      refuse(
        `${at}.status`,
        "differs from the status that the seed gives, and the snapshot records no change of it",
      );
    }
  }
}
