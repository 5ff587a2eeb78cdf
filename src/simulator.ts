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
import type { AssumptionKey, Assumptions, Choice } from "./assumptions/catalogue.ts";
import { resolveAssumptions } from "./assumptions/resolve.ts";
import { formatInstant, LAST_INSTANT_MS, parseInstant } from "./base/calendar.ts";
import { type Clock, type ClockMode, createClock, type WallClock, wallFor } from "./base/clock.ts";
import { InputError, parseInput } from "./base/input.ts";
import type { ApiRequest, ApiResponse } from "./contract/messages.ts";
import { createExchange, type Exchange } from "./exchange/exchange.ts";
import { createJournal, type Journal } from "./exchange/journal.ts";
import { dayReader, dedupWindowOf, type World } from "./exchange/world.ts";
import { createIds } from "./publishers/ids.ts";
import type { People } from "./publishers/people.ts";
import { createPopulation, MAX_POPULATION } from "./publishers/population.ts";
import type { Profile } from "./publishers/profiles.ts";

/** A choice for some of the spec's open points. */
export type Readings = { readonly [Key in AssumptionKey]?: Choice<Key> | undefined };

/** What a simulator is made from. Same options, same requests, same bytes. */
export interface SimulatorOptions {
  /** @default "adsim" */
  readonly seed?: string | undefined;
  /** The first instant, in ISO 8601. History lies before it. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** How many seeded publishers there are, 1 to 1,000,000. @default 25 */
  readonly publishers?: number | undefined;
  /** @default "typical" */
  readonly profile?: Profile | undefined;
  /** Readings of the spec's open points. @default the catalogue's default of each */
  readonly assumptions?: Readings | undefined;
  /** @default "frozen" */
  readonly clock?: ClockMode | undefined;
  /** Where a clock that isn't frozen reads real time, in milliseconds since 1970: `Date.now`. */
  readonly wallClock?: WallClock | undefined;
  /** Whether every response says in `X-Adsim-Assumptions` which open points shaped it. @default false */
  readonly explain?: boolean | undefined;
  /** How many requests the journal keeps; 0 keeps none. @default 10000 */
  readonly journalEntries?: number | undefined;
}

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
   * `date.timezone` once something is recorded. Then nothing changes.
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

const DEFAULT_START = "2026-01-15T00:00:00Z";

const assumptionsSchema = v.record(v.string(), v.unknown(), "must be an object of choices by key");

const optionsSchema = v.strictObject({
  seed: v.optional(v.string(), "adsim"),
  start: v.optional(v.string()),
  publishers: v.optional(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(1, "must be at least 1"),
      v.maxValue(MAX_POPULATION, `must be at most ${MAX_POPULATION}`),
    ),
    25,
  ),
  profile: v.optional(v.picklist(["typical", "tiny", "adversarial"]), "typical"),
  assumptions: v.optional(assumptionsSchema, {}),
  clock: v.optional(v.picklist(["frozen", "flowing", "system"]), "frozen"),
  wallClock: v.optional(
    v.custom<WallClock>(
      (value) => typeof value === "function",
      "must be a function that gives milliseconds since 1970, such as Date.now",
    ),
  ),
  explain: v.optional(v.boolean(), false),
  journalEntries: v.optional(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(0, "must not be negative"),
      v.maxValue(10_000_000, "must be at most 10,000,000"),
    ),
    10_000,
  ),
});

/** Everything that a world's behaviour follows from, save for its clock and accounts. */
interface Settings {
  readonly seed: string;
  readonly startMs: number;
  readonly publishers: number;
  readonly profile: Profile;
  readonly assumptions: Assumptions;
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
  // An array is an object without a known option: it would be read as no options.
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError("options", 'must be an object, such as { seed: "mine" }');
  }
  const given = parseInput(optionsSchema, options);
  const { clock: mode, wallClock, journalEntries, explain } = given;
  const settings: Settings = {
    seed: given.seed,
    startMs: startOf(given.start, mode, wallClock),
    publishers: given.publishers,
    profile: given.profile,
    assumptions: resolveAssumptions(given.assumptions),
  };
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
      const chosen = Object.entries(parseInput(assumptionsSchema, readings));
      const assumptions = resolveAssumptions({
        ...running.assumptions,
        ...Object.fromEntries(chosen.filter(([, choice]) => choice !== undefined)),
      });
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
      // From what was read of the options: they may have been changed since.
      const read = { ...given, assumptions: settings.assumptions };
      const fork = createSimulatorCore(read, surroundings);
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

/** Real time as a world's: it must be an instant that can be written down. */
function worldMs(wallClock: WallClock | undefined): number {
  const wallMs = wallFor("system", wallClock);
  if (wallMs >= 0 && wallMs <= LAST_INSTANT_MS) return wallMs;
  throw new InputError("wallClock", "must give milliseconds from 1970 to the year 9999");
}

function startOf(
  start: string | undefined,
  mode: ClockMode,
  wallClock: WallClock | undefined,
): number {
  const wallMs = mode === "system" ? worldMs(wallClock) : undefined;
  if (start === undefined) return wallMs ?? parseInstant(DEFAULT_START) ?? 0;
  const startMs = parseInstant(start);
  if (startMs === undefined || startMs < 0 || startMs > LAST_INSTANT_MS) {
    throw new InputError(
      "start",
      'must be an instant in ISO 8601 from 1970 on, such as "2026-03-01T00:00:00Z"',
    );
  }
  if (wallMs !== undefined && startMs > wallMs) {
    throw new InputError(
      "start",
      `must not be after the system clock's ${formatInstant(wallMs)}. Use the clock "flowing" to start in the future`,
    );
  }
  return startMs;
}
