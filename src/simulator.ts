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
import { copyOfTally, type Tally } from "./accounts/tally.ts";
import type { Assumptions } from "./assumptions/catalogue.ts";
import { resolveAssumptions } from "./assumptions/resolve.ts";
import { type Audit, auditOf } from "./audit/audit.ts";
import { type ClientReport, clientReport } from "./audit/client-report.ts";
import { createEras } from "./audit/eras.ts";
import { type Clock, type ClockMode, createClock } from "./base/clock.ts";
import { inField, parseInput } from "./base/input.ts";
import type { ApiRequest, ApiResponse } from "./contract/messages.ts";
import { createExchange, type Exchange } from "./exchange/exchange.ts";
import type { Meter } from "./exchange/meter.ts";
import { createNearestFinder } from "./exchange/nearest/nearest.ts";
import { dayReader, dedupWindowOf, type World } from "./exchange/world.ts";
import { createFaults, createTransports, type Faults, type Transports } from "./faults/faults.ts";
import { createRuleList, loadRuleList, type RuleList } from "./faults/rule-list.ts";
import type { SavedFaults } from "./faults/saved-faults.ts";
import { createJournal, type Journal, type JournalRing } from "./journal/journal.ts";
import { worldAbout } from "./journal/record.ts";
import { createIds } from "./publishers/ids.ts";
import type { People } from "./publishers/people.ts";
import { createPopulation } from "./publishers/population.ts";
import {
  type Readings,
  type ReadOptions,
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
  readonly faults: Faults;
  readonly journal: Journal;
  /** How clients used the API so far, and what they did wrong: judged from the journal. Ask when they are done. */
  report(): ClientReport;
  /**
   * Answers a request, at once and synchronously. Never throws for what a request holds.
   *
   * @throws what a fault rule that is a function throws, and InputError for what it returns that isn't a verdict.
   */
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
  /** What was attempted, applied, answered and lost, and whether the books agree. Reads only. */
  audit(): Audit;
  /**
   * The whole state as JSON, for {@link restore}. The journal isn't part of it.
   *
   * @throws InputError where a fault rule is a function.
   */
  snapshot(): Snapshot;
  /** Takes over a snapshot whole, its seed and options included. @throws InputError, and nothing changes. */
  restore(snapshot: Snapshot): void;
  /** A simulator of its own that goes on from this state, with an empty journal. */
  fork(): SimulatorCore;
  /** How much the world holds in memory. */
  held(): Held;
  /** Starts over from the options, clock, journal, assumptions and fault rules included; with a seed, as another population. */
  reset(options?: { readonly seed?: string | undefined }): void;
}

/** What a world holds. */
export interface Held {
  /** Publishers that have sent a request, signed up, or were changed. */
  readonly publishersTouched: number;
  readonly impressions: number;
}

/** What the surroundings provide. */
export interface Surroundings {
  /** Gives the source of names and contacts; called on first need, since it is slow to load. */
  readonly people: () => People;
  /** Counts what happens in all worlds that get it. @default nobody counts */
  readonly meter?: Meter | undefined;
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
  return createCore(readOptions(options), surroundings);
}

/** `origin`: what to go on from, instead of starting anew. */
function createCore(
  read: ReadOptions,
  surroundings: Surroundings,
  origin?: { readonly snapshot: Snapshot; readonly rules: RuleList },
): SimulatorCore {
  const { settings } = read;
  const journal = createJournal({
    entries: read.journalEntries,
    bytes: read.journalBytes,
    nearest: createNearestFinder(() => running),
  });
  const eras = createEras(journal);
  const transports = createTransports();
  const make = createWorldMaker({ read, surroundings, journal, transports });
  let running =
    origin === undefined ? make.fresh(settings) : make.saved(origin.snapshot, origin.rules);

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
      set(change) {
        const { mode } = running.clock;
        running.clock.set(change);
        if (running.clock.mode !== mode) eras.finish(mode, "clock");
      },
    },
    faults: createFaults(() => running, transports),
    journal,
    report: () => clientReport(journal, eras.finished(), running.clock.mode),
    handle: (request) => running.exchange(request),
    assume(readings) {
      const chosen = readReadings(readings);
      const assumptions = resolveAssumptions({ ...running.assumptions, ...chosen });
      const next = make.continued({ ...running.settings, assumptions }, kept(running));
      takeOverAccounts(running, next);
      running = next;
      return assumptions;
    },
    audit: () => auditOf(running, journal),
    snapshot: () => snapshotOf(running, running.rules.save(running.clock.now())),
    restore(snapshot) {
      const saved = parseSnapshot(snapshot);
      const next = make.saved(saved, loadRuleList(saved.seed, saved.faults, transports.refusal));
      eras.finish(running.clock.mode, "state");
      running = next;
    },
    fork() {
      const { rules } = running;
      // Rules go over as they are: a function has no place in a snapshot.
      const snapshot = snapshotOf(running, noFaults);
      return createCore(read, surroundings, { snapshot, rules: rules.copy() });
    },
    held() {
      let publishersTouched = 0;
      let impressions = 0;
      for (const { book } of running.accounts.opened()) {
        publishersTouched += 1;
        impressions += book.impressions.count;
      }
      return { publishersTouched, impressions };
    },
    reset(request = {}) {
      const { seed } = parseInput(resetSchema, request, "options");
      running = make.fresh({ ...settings, seed: seed ?? settings.seed });
      journal.restart();
      eras.clear();
    },
  };
}

const resetSchema = v.strictObject({ seed: v.optional(v.string()) });

/** What worlds are made from, one after the other, under one simulator. */
interface WorldMakerParts {
  readonly read: ReadOptions;
  readonly surroundings: Surroundings;
  readonly journal: JournalRing;
  readonly transports: Transports;
}

/** Makes a world that is new, goes on under other settings, or comes out of a snapshot. */
interface WorldMaker {
  fresh(settings: Settings): Running;
  continued(settings: Settings, from: Kept): Running;
  saved(snapshot: Snapshot, rules: RuleList): Running;
}

function createWorldMaker({
  read,
  surroundings,
  journal,
  transports: { refusal },
}: WorldMakerParts): WorldMaker {
  const { clock: mode, wallClock, explain } = read;

  function continued(settings: Settings, { clock, rules, strangers }: Kept): Running {
    const { seed, assumptions } = settings;
    const about = worldAbout(settings);
    const dayOf = dayReader(assumptions);
    const startDay = dayOf(settings.startMs);
    const ids = createIds(seed, assumptions);
    const population = createPopulation({
      seed,
      size: settings.publishers,
      profile: settings.profile,
      startDay,
      ids,
      assumptions,
      people: surroundings.people,
    });
    const buckets = createBucketKeeper(assumptions);
    const freshBuckets = buckets.fresh;
    const accounts = createAccounts({ ids, population, freshBuckets, strangers });
    const { meter } = surroundings;
    const access = { clock, rules, refusal, explain, meter };
    const parts = { seed, about, assumptions, ids, population, accounts, ...access };
    const exchange = createExchange(parts, journal, startDay);
    return { ...parts, dayOf, settings, buckets, exchange };
  }

  return {
    continued,
    fresh(settings) {
      const nowMs = mode === "system" ? worldMs(wallClock) : settings.startMs;
      const clock = createClock(mode, Math.max(nowMs, settings.startMs), wallClock);
      const rules = createRuleList(settings.seed);
      for (const [index, rule] of read.faults.entries()) {
        inField(`faults.${index}`, () => rules.add(rule, clock.now(), refusal));
      }
      return continued(settings, { clock, rules });
    },
    saved(snapshot, rules) {
      const { mode: savedMode, now } = snapshot.clock;
      // The system clock is real time: it doesn't stay behind by the age of the snapshot.
      const nowMs = savedMode === "system" ? Math.max(now, worldMs(wallClock)) : now;
      const clock = createClock(savedMode, nowMs, wallClock);
      const settings = {
        seed: snapshot.seed,
        startMs: snapshot.start,
        publishers: snapshot.publishers,
        profile: snapshot.profile,
        assumptions: resolveAssumptions(snapshot.assumptions),
      };
      const strangers = copyOfTally(snapshot.strangers);
      const world = continued(settings, { clock, rules, strangers });
      loadAccounts(snapshot.accounts, world, now);
      return world;
    },
  };
}

const noFaults: SavedFaults = { added: 0, rules: [] };

/** What goes on where a world is made anew in mid-run. */
interface Kept {
  readonly clock: Clock;
  readonly rules: RuleList;
  /** @default a new one */
  readonly strangers?: Tally | undefined;
}

function kept({ clock, rules, accounts }: Running): Kept {
  return { clock, rules, strangers: accounts.strangers };
}

function snapshotOf(
  { settings, clock, accounts, buckets }: Running,
  faults: SavedFaults,
): Snapshot {
  const now = clock.now();
  const windowMs = dedupWindowOf(settings.assumptions);
  return sealSnapshot({
    seed: settings.seed,
    start: settings.startMs,
    publishers: settings.publishers,
    profile: settings.profile,
    assumptions: { ...settings.assumptions },
    clock: { mode: clock.mode, now },
    faults,
    strangers: copyOfTally(accounts.strangers),
    accounts: saveAccounts(
      accounts,
      (book) => book.forget(now, windowMs),
      (of) => buckets.save(of, now),
    ),
  });
}
