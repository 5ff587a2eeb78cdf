/** One simulated service: a running world that is swapped whole on reset and restore. Nothing but that world holds state. */

import * as v from "valibot";
import { createDirectory, type Publishers } from "./accounts/directory.ts";
import { parseSnapshot, type Snapshot, type State } from "./accounts/snapshot.ts";
import { takeOverAccounts } from "./accounts/take-over.ts";
import type { Assumptions } from "./assumptions/catalogue.ts";
import { resolveAssumptions } from "./assumptions/resolve.ts";
import { type Audit, auditOf } from "./audit/audit.ts";
import { type ClientReport, clientReport } from "./audit/client-report.ts";
import { createEras } from "./audit/eras.ts";
import type { Clock, ClockMode } from "./base/clock.ts";
import { InputError, parseInput } from "./base/input.ts";
import type { ApiRequest, ApiResponse } from "./contract/messages.ts";
import { createNearestFinder } from "./exchange/nearest/nearest.ts";
import { createFaults, createTransports, type Faults } from "./faults/faults.ts";
import { loadRuleList, type RuleList } from "./faults/rule-list.ts";
import type { SavedFaults } from "./faults/saved-faults.ts";
import { createJournal, type Journal } from "./journal/journal.ts";
import { Book } from "./ledger/book.ts";
import {
  copiedStateOf,
  createWorldMaker,
  kept,
  type RunningWorld,
  type Surroundings,
  snapshotOf,
} from "./running-world.ts";
import {
  type Readings,
  type ReadOptions,
  readOptions,
  readReadings,
  type SimulatorOptions,
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
   * start anew where `limit.algorithm` changes, and de-duplication forgets where `dedup.key` or `dedup.window` does. It
   * knows nothing of what was recorded under `dedup.repeat=count`.
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
  origin?: { readonly state: State<Book>; readonly rules: RuleList },
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
    origin === undefined
      ? make.fresh(settings)
      : make.saved(origin.state, origin.rules, (book) => book);

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
      notByRule("assume", running);
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
      const rules = loadRuleList(saved.seed, saved.faults, transports.whyNot);
      const next = make.saved(saved, rules, Book.load);
      notByRule("restore", running);
      eras.finish(running.clock.mode, "state");
      running = next;
    },
    fork() {
      const { rules } = running;
      // Rules go over as they are: a function has no place in a snapshot.
      const state = copiedStateOf(running, noFaults);
      return createCore(read, surroundings, { state, rules: rules.copy() });
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
      notByRule("reset", running);
      running = make.fresh({ ...settings, seed: seed ?? settings.seed });
      journal.restart();
      eras.clear();
    },
  };
}

/** A request goes on in the world that it came to: one put in its place meanwhile would know nothing of it. */
function notByRule(call: string, { rules }: RunningWorld): void {
  if (!rules.isDeciding) return;
  const why = "a function that decides on a request must not change the world under it";
  throw new InputError(call, `can't be called by a rule: ${why}`, "conflict");
}

const resetSchema = v.strictObject({ seed: v.optional(v.string()) });

const noFaults: SavedFaults = { added: 0, rules: [] };
