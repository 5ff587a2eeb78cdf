/** Wires one world together, and swaps it whole on reset and restore. Nothing but the current world holds state. */

import * as v from "valibot";
import { createAccounts } from "./accounts/accounts.ts";
import { type BucketKeeper, createBucketKeeper } from "./accounts/buckets.ts";
import { createDirectory, type DirectoryWorld, type Publishers } from "./accounts/directory.ts";
import {
  loadAccounts,
  parseSnapshot,
  type Snapshot,
  saveAccounts,
  sealSnapshot,
} from "./accounts/snapshot.ts";
import { takeOverAccounts } from "./accounts/take-over.ts";
import type { Assumptions } from "./assumptions/catalogue.ts";
import { resolveAssumptions } from "./assumptions/resolve.ts";
import { type Clock, type ClockMode, createClock } from "./base/clock.ts";
import { parseInput } from "./base/input.ts";
import type { ApiRequest, ApiResponse } from "./contract/messages.ts";
import { createExchange, type Exchange } from "./exchange/exchange.ts";
import { createJournal, type Journal } from "./exchange/journal.ts";
import { dayReader, dedupWindowOf, type World } from "./exchange/world.ts";
import { createIds } from "./publishers/ids.ts";
import type { People } from "./publishers/people.ts";
import { createPopulation } from "./publishers/population.ts";
import {
  type Readings,
  readOptions,
  readReadings,
  type Settings,
  type SimulatorOptions,
  worldMs,
} from "./simulator-options.ts";

/** One simulated service, without a transport. */
export interface SimulatorCore {
  readonly seed: string;
  readonly assumptions: Assumptions;
  readonly publishers: Publishers;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Answers a request, at once and synchronously. Never throws for what a request holds. */
  handle(request: ApiRequest): ApiResponse;
  /**
   * Takes other readings of open points from now on, the others stay as they are. What was recorded stays recorded. Quotas
   * start anew where `limit.algorithm` changes, and de-duplication forgets where `dedup.key` or `dedup.window` does.
   *
   * @returns all readings in force.
   * @throws InputError for a wrong key or choice, for readings that contradict each other, and for another
   * `date.timezone` once events or sign-ups are filed by day, or `click.revenue` once clicks are recorded. Then nothing
   * changes.
   */
  assume(readings: Readings): Assumptions;
  /** The whole state as JSON, for {@link restore}. The journal isn't part of it. */
  snapshot(): Snapshot;
  /** Takes over a snapshot whole, its seed and options included. @throws InputError, and nothing changes. */
  restore(snapshot: Snapshot): void;
  /** A simulator of its own that goes on from this state, with an empty journal. */
  fork(): SimulatorCore;
  /** Starts over from the options, clock, journal and assumptions included; with a seed, as another population. */
  reset(options?: { readonly seed?: string | undefined }): void;
}

/** What the surroundings provide. */
export interface Surroundings {
  /** Gives the source of names and contacts; called on first need, since it is slow to load. */
  readonly people: () => People;
}

/** A world with its request path. */
interface Running extends World, DirectoryWorld {
  readonly settings: Settings;
  readonly buckets: BucketKeeper;
  readonly exchange: Exchange;
}

/** @throws InputError that names the option at fault. */
export function createSimulatorCore(
  options: SimulatorOptions,
  surroundings: Surroundings,
): SimulatorCore {
  const read = readOptions(options);
  const { settings, clock: mode, wallClock, journalEntries, explain } = read;
  const journal = createJournal(journalEntries);

  function freshClock(): Clock {
    const nowMs = mode === "system" ? worldMs(wallClock) : settings.startMs;
    return createClock(mode, Math.max(nowMs, settings.startMs), wallClock);
  }
  function run(of: Settings, clock: Clock): Running {
    const { seed, assumptions } = of;
    const dayOf = dayReader(assumptions);
    const startDay = dayOf(of.startMs);
    const ids = createIds(seed, assumptions);
    const population = createPopulation({
      seed,
      size: of.publishers,
      profile: of.profile,
      startDay,
      ids,
      assumptions,
      people: surroundings.people,
    });
    const buckets = createBucketKeeper(assumptions);
    const accounts = createAccounts({ ids, population, freshBuckets: buckets.fresh });
    const world = { seed, assumptions, ids, population, accounts, clock, explain };
    return {
      ...world,
      dayOf,
      settings: of,
      buckets,
      exchange: createExchange(world, journal, startDay),
    };
  }

  let running = run(settings, freshClock());

  return {
    get seed(): string {
      return running.seed;
    },
    get assumptions(): Assumptions {
      return running.assumptions;
    },
    publishers: createDirectory(() => running),
    clock: {
      now: () => running.clock.now(),
      get mode(): ClockMode {
        return running.clock.mode;
      },
      advance: (by) => running.clock.advance(by),
      set: (change) => running.clock.set(change),
    },
    journal,
    handle: (request) => running.exchange(request),
    assume(readings) {
      const chosen = readReadings(readings);
      const assumptions = resolveAssumptions({ ...running.assumptions, ...chosen });
      const next = run({ ...running.settings, assumptions }, running.clock);
      takeOverAccounts(running, next);
      running = next;
      return assumptions;
    },
    snapshot: () => snapshotOf(running),
    restore(snapshot) {
      const saved = parseSnapshot(snapshot);
      const { mode: savedMode, now } = saved.clock;
      // The system clock is real time: it doesn't stay behind by the age of the snapshot.
      const nowMs = savedMode === "system" ? Math.max(now, worldMs(wallClock)) : now;
      const next = run(
        {
          seed: saved.seed,
          startMs: saved.start,
          publishers: saved.publishers,
          profile: saved.profile,
          assumptions: resolveAssumptions(saved.assumptions),
        },
        createClock(savedMode, nowMs, wallClock),
      );
      loadAccounts(saved.accounts, next, now);
      running = next;
    },
    fork() {
      const fork = createSimulatorCore(read.options, surroundings);
      fork.restore(this.snapshot());
      return fork;
    },
    reset(request = {}) {
      const { seed } = parseInput(v.strictObject({ seed: v.optional(v.string()) }), request);
      running = run({ ...settings, seed: seed ?? settings.seed }, freshClock());
      journal.restart();
    },
  };
}

function snapshotOf({ settings, clock, accounts, buckets }: Running): Snapshot {
  const now = clock.now();
  const windowMs = dedupWindowOf(settings.assumptions);
  return sealSnapshot({
    seed: settings.seed,
    start: settings.startMs,
    publishers: settings.publishers,
    profile: settings.profile,
    assumptions: { ...settings.assumptions },
    clock: { mode: clock.mode, now },
    accounts: saveAccounts(
      accounts,
      (book) => book.forget(now, windowMs),
      (of) => buckets.save(of, now),
    ),
  });
}
