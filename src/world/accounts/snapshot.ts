/** Saves a world as JSON and loads it. A damaged or foreign snapshot is refused before anything changes. */

import * as v from "valibot";
import { assert } from "../../base/assert.ts";
import { day } from "../../base/calendar.ts";
import type { ClockMode } from "../../base/clock.ts";
import { createDigest } from "../../base/digest.ts";
import { InputError, isPlainObject, parseInput } from "../../base/input.ts";
import type { SavedFaults } from "../../faults/saved-faults.ts";
import type { Book, SavedBook } from "../ledger/book.ts";
import type { Person } from "../publishers/people.ts";
import type { SurfaceTerms } from "../publishers/seeded-publisher.ts";
import type { WorldSettings } from "../publishers/world-settings.ts";
import { type Account, createAccount } from "./account.ts";
import { type Accounts, type AccountWorld, accountsByOrdinal } from "./accounts.ts";
import type { BucketKeeper, Buckets, SavedBuckets } from "./buckets.ts";
import type { AccountState, SavedAccount } from "./saved-account.ts";
import { copyOfTally, type Tally } from "./tally.ts";

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

/** What must be right for the digest to mean something. Whoever changes both owns the world and may break it. */
const envelope = v.looseObject({
  format: v.literal("adsim-snapshot", 'must be "adsim-snapshot": this is not a snapshot of adsim'),
  version: v.literal(
    snapshotBegin.version,
    `must be ${snapshotBegin.version}, the version that this adsim reads`,
  ),
  digest: v.string(),
  assumptions: v.record(v.string(), v.string()),
  accounts: v.array(v.unknown()),
});

/** A copy of a snapshot that is whole. @throws InputError that names the field at fault. */
export function parseSnapshot(input: unknown): Snapshot {
  if (!isPlainObject(input)) {
    const source = "from sim.snapshot() or GET /_sim/snapshot";
    throw new InputError("", `must be an object ${source}`);
  }
  parseInput(envelope, input);
  // The digest below shows that the other members are as adsim wrote them.
  const snapshot = structuredClone(input) as unknown as Snapshot;
  if (snapshot.digest !== snapshotDigest(snapshot)) {
    throw new InputError(
      "digest",
      "doesn't match: the snapshot was damaged or edited. Take another snapshot of that world",
    );
  }
  return snapshot;
}

/** The digest of a snapshot. Its members must be in the order in which they were saved. */
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

function saveAccount<KeptBook>(
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

/** Adds saved accounts to a world that has none. */
export function loadAccounts<KeptBook>(
  saved: readonly AccountState<KeptBook>[],
  into: AccountWorld & { readonly buckets: BucketKeeper },
  bookOf: (kept: KeptBook) => Book,
): void {
  for (const from of saved) {
    const { ordinal, keySerial, surfaces, person } = from;
    const [joined, tally] = [day(from.joined), copyOfTally(from.tally)];
    const [book, buckets] = [bookOf(from.book), into.buckets.load(from)];
    const parts = { ordinal, keySerial, joined, surfaces, person, tally, book, buckets };
    assert(into.accounts.put(createAccount(parts, into)), `There is no publisher ${ordinal}.`);
  }
}
