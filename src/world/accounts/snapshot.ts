/** Writes the state of a world as JSON and reads it. A damaged or foreign snapshot is refused before anything changes. */

import * as v from "valibot";
import type { ClockMode } from "../../base/clock.ts";
import { createDigest } from "../../base/digest.ts";
import { InputError, isPlainObject, parseInput } from "../../base/input.ts";
import { copyOfJson } from "../../base/plain-data.ts";
import { fromBase64, toBase64 } from "../../base/text.ts";
import { type FaultsState, savedFaults } from "../../faults/rules.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { type BookState, forgetSessions } from "../ledger/book.ts";
import type { WorldSettings } from "../publishers/world-settings.ts";
import type { AccountState, Tally, WorldState } from "./state.ts";

/** The first members of every snapshot. */
const snapshotBegin = { format: "adsim-snapshot", version: 6 } as const;

/** The whole state of a world as JSON. Opaque: its members may change with every `version`. */
export interface Snapshot extends Omit<WorldSettings, "startMs" | "assumptions"> {
  readonly format: "adsim-snapshot";
  readonly version: typeof snapshotBegin.version;
  /** A digest of all other members, which detects a damaged or edited snapshot. */
  readonly digest: string;
  readonly start: number;
  readonly assumptions: Readonly<Record<string, string>>;
  readonly clock: { readonly mode: ClockMode; readonly now: number };
  readonly faults: FaultsState;
  /** Requests without a valid key. */
  readonly withoutKey: Tally;
  /** By ordinal, so that the order of first requests doesn't show. */
  readonly accounts: readonly SavedAccount[];
}

interface SavedAccount extends Omit<AccountState, "book"> {
  readonly book: SavedBook;
}

/** A book as JSON. A column is the base 64 of `count` little-endian values. */
interface SavedBook extends Pick<BookState, "count" | "days"> {
  readonly surface: string;
  readonly micros: string;
  readonly time: string;
  readonly clicked: string;
  /** The sessions in the window, in order. */
  readonly sessionKeys: readonly string[];
  readonly sessionSerials: readonly number[];
}

/** `windowMs`: how long impressions are remembered. */
export function writeSnapshot(state: WorldState, windowMs: number): Snapshot {
  const { settings, clock, withoutKey } = state;
  const accounts = Array.from(state.accounts.values(), (account): SavedAccount => {
    const { book, ...others } = account;
    return { ...copyOfJson(others), book: savedBook(book, clock.nowMs, windowMs) };
  });
  const content = {
    ...snapshotBegin,
    seed: settings.seed,
    start: settings.startMs,
    publishers: settings.publishers,
    profile: settings.profile,
    assumptions: { ...settings.assumptions },
    clock: { mode: clock.mode, now: clock.nowMs },
    faults: savedFaults(state.faults, clock.nowMs),
    withoutKey: copyOfJson(withoutKey),
    accounts: accounts.sort((one, other) => one.ordinal - other.ordinal),
  };
  return { ...content, digest: snapshotDigest(content) };
}

function savedBook(book: BookState, nowMs: number, windowMs: number): SavedBook {
  // A snapshot must not depend on when sessions were last forgotten.
  forgetSessions(book, nowMs, windowMs);
  const { count, surface, micros, time, clicked, days, sessions } = book;
  const column = (values: Uint8Array | Uint32Array | Float64Array): string =>
    toBase64(new Uint8Array(values.buffer, 0, count * values.BYTES_PER_ELEMENT));
  return {
    count,
    surface: column(surface),
    micros: column(micros),
    time: column(time),
    clicked: column(clicked),
    days: copyOfJson(days),
    sessionKeys: [...sessions.keys()],
    sessionSerials: [...sessions.values()],
  };
}

/** What must be right for the digest to mean something. Whoever changes both owns the world and may break it. */
const envelope = v.looseObject({
  format: v.literal("adsim-snapshot", 'must be "adsim-snapshot": this is not a snapshot of adsim'),
  version: v.literal(
    snapshotBegin.version,
    `must be ${snapshotBegin.version}, the version that this adsim reads`,
  ),
  digest: v.string(),
  accounts: v.array(v.unknown()),
});

/** A snapshot that is whole. @throws InputError that names the field at fault. */
export function parseSnapshot(input: unknown): Snapshot {
  if (!isPlainObject(input)) {
    throw new InputError("", "must be an object from sim.snapshot() or GET /_sim/snapshot");
  }
  parseInput(envelope, input);
  // The digest shows that the other members are as adsim wrote them.
  const snapshot = input as unknown as Snapshot;
  if (snapshot.digest === snapshotDigest(snapshot)) return snapshot;
  throw new InputError(
    "digest",
    "doesn't match: the snapshot was damaged or edited. Take another snapshot of that world",
  );
}

/** The members must be in the order in which they were saved. */
export function snapshotDigest({ accounts, ...others }: Omit<Snapshot, "digest">): string {
  const digest = createDigest();
  digest.text(JSON.stringify({ ...others, digest: undefined }));
  // Texts of their own: a single string couldn't hold all.
  for (const account of accounts) digest.text(JSON.stringify(account));
  return digest.value();
}

/** A copy of the state that a snapshot holds. */
export function readState(snapshot: Snapshot): WorldState {
  const { seed, start: startMs, publishers, profile, clock } = snapshot;
  const assumptions = resolveAssumptions(snapshot.assumptions);
  const accounts = snapshot.accounts.map(({ book, ...account }): AccountState => {
    return { ...copyOfJson(account), book: readBook(book) };
  });
  return {
    settings: { seed, startMs, publishers, profile, assumptions },
    clock: { mode: clock.mode, nowMs: clock.now },
    accounts: new Map(accounts.map((account) => [account.ordinal, account])),
    faults: copyOfJson(snapshot.faults),
    withoutKey: copyOfJson(snapshot.withoutKey),
  };
}

function readBook(saved: SavedBook): BookState {
  const sessions = new Map<string, number>();
  for (const [index, key] of saved.sessionKeys.entries()) {
    sessions.set(key, saved.sessionSerials[index] ?? 0);
  }
  return {
    count: saved.count,
    surface: fromBase64(saved.surface),
    micros: new Uint32Array(fromBase64(saved.micros).buffer),
    time: new Float64Array(fromBase64(saved.time).buffer),
    clicked: fromBase64(saved.clicked),
    days: copyOfJson(saved.days),
    sessions,
  };
}
