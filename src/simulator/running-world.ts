/** Wires up the parts of a world. Makes worlds anew, from another world, or from a snapshot. */

import { type Clock, createClock } from "../base/clock.ts";
import { inField } from "../base/input.ts";
import { createExchange, type Exchange } from "../exchange/exchange.ts";
import type { Meter } from "../exchange/meter.ts";
import { dayReader, dedupWindowOf } from "../exchange/operations/operation-world.ts";
import type { World } from "../exchange/world.ts";
import { createRuleList, type RuleList } from "../faults/rule-list.ts";
import type { SavedFaults } from "../faults/saved-faults.ts";
import type { JournalRing } from "../journal/journal.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { createAccounts } from "../world/accounts/accounts.ts";
import { type BucketKeeper, createBucketKeeper } from "../world/accounts/buckets.ts";
import type { DirectoryWorld } from "../world/accounts/publisher-directory.ts";
import {
  loadAccounts,
  type Snapshot,
  saveAccounts,
  sealSnapshot,
  type WorldState,
} from "../world/accounts/snapshot.ts";
import { copyOfTally, type Tally } from "../world/accounts/tally.ts";
import type { Book } from "../world/ledger/book.ts";
import { createIds } from "../world/publishers/ids.ts";
import type { PersonGenerator } from "../world/publishers/people.ts";
import { createPopulation } from "../world/publishers/population.ts";
import { describeWorld, type WorldSettings } from "../world/publishers/world-settings.ts";
import { type ResolvedOptions, readWallClockMs } from "./simulator-options.ts";

/** What the host provides. */
export interface Host {
  /** Returns the generator of names and contacts. Called on first use, because it loads slowly. */
  readonly people: () => PersonGenerator;
  /** Counts what happens in all worlds of this host. @default nothing is counted */
  readonly meter?: Meter | undefined;
  /**
   * Most bytes of a world's state to copy for its history, by estimate.
   *
   * @default 4194304
   */
  readonly maxSavedBytes?: number | undefined;
}

/** A world with its request path. */
export interface RunningWorld extends World, DirectoryWorld {
  readonly settings: WorldSettings;
  readonly buckets: BucketKeeper;
  readonly exchange: Exchange;
}

/** What successive worlds of one simulator share. */
interface WorldFactoryParts {
  readonly options: ResolvedOptions;
  readonly host: Host;
  readonly journal: JournalRing;
}

export interface WorldFactory {
  create(settings: WorldSettings): RunningWorld;
  continueFrom(settings: WorldSettings, from: Continuation): RunningWorld;
  /** `bookOf` makes a book from its saved form. */
  load<SavedBook>(
    state: WorldState<SavedBook>,
    rules: RuleList,
    bookOf: (saved: SavedBook) => Book,
  ): RunningWorld;
}

export function createWorldFactory({ options, host, journal }: WorldFactoryParts): WorldFactory {
  const { clock: mode, wallClock, explain, origins } = options;

  function continueFrom(
    settings: WorldSettings,
    { clock, rules, unauthenticated }: Continuation,
  ): RunningWorld {
    const { seed, assumptions } = settings;
    const about = describeWorld(settings);
    const dayOf = dayReader(assumptions);
    const startDay = dayOf(settings.startMs);
    const ids = createIds(seed, assumptions);
    const { people } = host;
    const population = createPopulation({ settings, startDay, ids, people });
    const buckets = createBucketKeeper(assumptions);
    const freshBuckets = buckets.fresh;
    const accounts = createAccounts({ ids, population, freshBuckets, unauthenticated });
    const { meter } = host;
    const access = { clock, dayOf, rules, explain, origins, meter };
    const parts = { seed, about, assumptions, ids, population, accounts, ...access };
    return { ...parts, settings, buckets, exchange: createExchange(parts, journal) };
  }

  return {
    continueFrom,
    create(settings) {
      const nowMs = mode === "system" ? readWallClockMs(wallClock) : settings.startMs;
      const clock = createClock(mode, Math.max(nowMs, settings.startMs), wallClock);
      const rules = createRuleList(settings.seed);
      for (const [index, rule] of options.faults.entries()) {
        inField(`faults.${index}`, () => rules.add(rule, clock.now()));
      }
      return continueFrom(settings, { clock, rules });
    },
    load(snapshot, rules, bookOf) {
      const { mode: savedMode, now } = snapshot.clock;
      // The system clock shows real time, however old the snapshot is.
      const nowMs = savedMode === "system" ? Math.max(now, readWallClockMs(wallClock)) : now;
      const clock = createClock(savedMode, nowMs, wallClock);
      const { seed, start: startMs, publishers, profile } = snapshot;
      const assumptions = resolveAssumptions(snapshot.assumptions);
      const settings = { seed, startMs, publishers, profile, assumptions };
      const unauthenticated = copyOfTally(snapshot.strangers);
      const world = continueFrom(settings, { clock, rules, unauthenticated });
      loadAccounts(snapshot.accounts, world, bookOf);
      return world;
    },
  };
}

/** The parts of a world that its successor keeps. */
interface Continuation {
  readonly clock: Clock;
  readonly rules: RuleList;
  /** @default a new one */
  readonly unauthenticated?: Tally | undefined;
}

export function continuationOf({ clock, rules, accounts }: RunningWorld): Continuation {
  return { clock, rules, unauthenticated: accounts.unauthenticated };
}

/** The whole state as JSON. */
export function snapshotOf(world: RunningWorld): Snapshot {
  return sealSnapshot(stateOf(world, (book) => book.save()));
}

/**
 * The state for another world in memory. Faster than a snapshot: it copies the books as they are and adds no digest. `faults`:
 * in place of the world's own.
 */
export function copiedStateOf(world: RunningWorld, faults?: SavedFaults): WorldState<Book> {
  return stateOf(world, (book) => book.copy(), faults);
}

function stateOf<SavedBook>(
  { settings, clock, accounts, buckets, rules }: RunningWorld,
  saveBook: (book: Book) => SavedBook,
  faults?: SavedFaults,
): WorldState<SavedBook> {
  const now = clock.now();
  const { seed, startMs: start, publishers, profile, assumptions } = settings;
  const windowMs = dedupWindowOf(assumptions);
  return {
    seed,
    start,
    publishers,
    profile,
    assumptions: { ...assumptions },
    clock: { mode: clock.mode, now },
    faults: faults ?? rules.save(now),
    strangers: copyOfTally(accounts.unauthenticated),
    accounts: saveAccounts(
      accounts,
      (book) => book.forget(now, windowMs),
      (of) => buckets.save(of, now),
      saveBook,
    ),
  };
}

/** How much a world holds in memory. */
export interface Usage {
  /** Publishers that have sent a request, signed up, or were changed. */
  readonly publishersTouched: number;
  readonly impressions: number;
}

export function usageOf({ accounts }: RunningWorld): Usage {
  let publishersTouched = 0;
  let impressions = 0;
  for (const { book } of accounts.openedAccounts()) {
    publishersTouched += 1;
    impressions += book.impressions.count;
  }
  return { publishersTouched, impressions };
}

/** Measured memory in bytes. An impression includes the index that recognises its duplicates. */
const WORLD_BYTES = 70_000;
const ACCOUNT_BYTES = 3400;
const IMPRESSION_BYTES = 50;

/** Estimates the size of a copy of the world, in bytes. */
export function estimateBytes(world: RunningWorld): number {
  const { publishersTouched, impressions } = usageOf(world);
  return WORLD_BYTES + ACCOUNT_BYTES * publishersTouched + IMPRESSION_BYTES * impressions;
}
