/** One simulated service: a running world that is swapped whole on reset and restore. Nothing but that world holds state. */

import * as v from "valibot";
import { type Audit, auditInSlices } from "../audit/audit.ts";
import { type ClientReport, reportInSlices } from "../audit/client-report.ts";
import { createEras, type Eras } from "../audit/findings/eras.ts";
import { createNearestFinder } from "../audit/nearest/nearest.ts";
import type { Clock, ClockMode } from "../base/clock.ts";
import { InputError, parseInput } from "../base/input.ts";
import { seedText } from "../base/schemas.ts";
import { createFaults, createTransports, type Faults } from "../faults/faults.ts";
import { loadRuleList, type RuleList } from "../faults/rule-list.ts";
import type { SavedFaults } from "../faults/saved-faults.ts";
import { createJournalBudget } from "../journal/budget.ts";
import { createJournal, type Journal, type JournalRing } from "../journal/journal.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { Rejection } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { runToEnd, type Work } from "../spec/work.ts";
import { createDirectory, type Publishers } from "../world/accounts/publisher-directory.ts";
import {
  type Snapshot,
  snapshotInSlices,
  snapshotPieces,
  type WorldState,
} from "../world/accounts/snapshot.ts";
import { transferAccounts } from "../world/accounts/transfer-accounts.ts";
import { Book } from "../world/ledger/book.ts";
import { checkRestored } from "./check-restored.ts";
import {
  copiedStateOf,
  createWorldFactory,
  estimateBytes,
  type Host,
  kept,
  type RunningWorld,
  snapshotOf,
  type Usage,
  usageOf,
  type WorldFactory,
} from "./running-world.ts";
import {
  parseReadings,
  type Readings,
  type ResolvedOptions,
  resolveOptions,
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
   * Answers a request, at once and synchronously. Never throws for what is given to it. The response is the caller's to
   * change.
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
  /** A simulator of its own from the same seed and settings, at the same instant, in which nothing has happened. */
  fresh(): SimulatorCore;
  /** How much the world holds in memory. */
  usage(): Usage;
  /** Starts over from the options, clock, journal, assumptions and fault rules included; with a seed, as another population. */
  reset(options?: { readonly seed?: string | undefined }): void;
}

/** What a server needs of a world beyond what its users may do. */
export interface HostedCore extends SimulatorCore {
  readonly journal: JournalRing;
  fork(): HostedCore;
  /** The same as a world of the server, whose requests are counted; those of a fork are nobody's client's. */
  forkCounted(): HostedCore;
  /** Answers what never became a request, as broken HTTP doesn't. It isn't recorded. */
  refuse(rejection: Rejection): ApiResponse;
  /** About how many bytes the world takes in memory, its journal aside. */
  estimateBytes(): number;
  /** The same as {@link report}, so that others may pass in between. */
  reportInSlices(): Work<ClientReport>;
  /** The same as {@link audit}. */
  auditInSlices(): Work<Audit>;
  /** The same as {@link snapshot} as JSON text: the state of this moment, in pieces. @throws as that does. */
  snapshotInPieces(): Iterable<string>;
  /** The same as {@link restore}: until it ends, the world goes on as it was. */
  restoreInSlices(snapshot: Snapshot): Work<void>;
  /** A world from the same options, whose journal goes on counting from this one's. */
  createSuccessor(): HostedCore;
  /** Goes on from where a world beside it has come to, with all that its journal kept. That one must not be used again. */
  adopt(other: HostedCore): void;
}

/** @throws InputError that names the option at fault. */
export function createSimulatorCore(options: SimulatorOptions, host: Host): HostedCore {
  return new Core(resolveOptions(options), host);
}

/** What to go on from, instead of starting anew. */
interface InitialState {
  readonly state: WorldState<Book>;
  readonly rules: RuleList;
}

/**
 * A class, for in a literal with getters an engine looks every method up slowly, and `handle` is called by the million. Its
 * methods are members of their own, so that they can be taken out.
 */
class Core implements HostedCore {
  readonly publishers: Publishers = createDirectory(() => this.#running);
  readonly clock: Clock = this.#createClock();
  readonly faults: Faults;
  readonly journal: JournalRing;
  readonly #read: ResolvedOptions;
  readonly #host: Host;
  readonly #eras: Eras;
  readonly #transports = createTransports();
  readonly #make: WorldFactory;
  #running: RunningWorld;

  constructor(read: ResolvedOptions, host: Host, origin?: InitialState) {
    this.#read = read;
    this.#host = host;
    const transports = this.#transports;
    this.journal = createJournal({
      entries: read.journalEntries,
      budget: createJournalBudget(read.journalBytes),
      nearest: createNearestFinder(() => this.#running),
    });
    this.#eras = createEras(this.journal);
    this.faults = createFaults(() => this.#running, transports);
    this.#make = createWorldFactory({ read, host, journal: this.journal, transports });
    this.#running =
      origin === undefined
        ? this.#make.fresh(read.settings)
        : runToEnd(this.#make.saved(origin.state, origin.rules, (book) => book));
  }

  get seed(): string {
    return this.#running.seed;
  }

  get assumptions(): Assumptions {
    return this.#running.assumptions;
  }

  readonly handle = (request: ApiRequest): ApiResponse => this.#running.exchange.handle(request);

  readonly refuse = (rejection: Rejection): ApiResponse => this.#running.exchange.refuse(rejection);

  readonly report = (): ClientReport => runToEnd(this.reportInSlices());

  readonly reportInSlices = (): Work<ClientReport> =>
    reportInSlices(this.journal, this.#eras.finished(), this.#running.clock.mode);

  readonly assume = (readings: Readings): Assumptions => {
    const chosen = parseReadings(readings);
    const running = this.#running;
    assertNotInsideRule("assume", running);
    const assumptions = resolveAssumptions({ ...running.assumptions, ...chosen });
    const next = this.#make.continueFrom({ ...running.settings, assumptions }, kept(running));
    transferAccounts(running, next);
    this.#running = next;
    return assumptions;
  };

  readonly audit = (): Audit => runToEnd(this.auditInSlices());

  readonly auditInSlices = (): Work<Audit> => auditInSlices(this.#running, this.journal);

  readonly snapshot = (): Snapshot => {
    const { rules, clock } = this.#running;
    return snapshotOf(this.#running, rules.save(clock.now()));
  };

  readonly snapshotInPieces = (): Iterable<string> => {
    const { rules, clock } = this.#running;
    return snapshotPieces(copiedStateOf(this.#running, rules.save(clock.now())));
  };

  readonly restore = (snapshot: Snapshot): void => runToEnd(this.restoreInSlices(snapshot));

  *restoreInSlices(snapshot: Snapshot): Work<void> {
    const saved = yield* snapshotInSlices(snapshot);
    const rules = loadRuleList(saved.seed, saved.faults, this.#transports.whyNot);
    const next = yield* this.#make.saved(saved, rules, Book.load);
    yield* checkRestored(saved, next, this.journal);
    assertNotInsideRule("restore", this.#running);
    this.#eras.finish(this.#running.clock.mode, "state");
    this.#running = next;
  }

  readonly fork = (): HostedCore => this.#copy({ people: this.#host.people });
  readonly forkCounted = (): HostedCore => this.#copy(this.#host);

  readonly fresh = (): SimulatorCore => {
    const { settings, clock } = this.#running;
    const { people } = this.#host;
    const read: ResolvedOptions = { ...this.#read, settings, clock: "frozen", faults: [] };
    const core = new Core(read, { people });
    core.clock.set({ nowMs: Math.max(clock.now(), settings.startMs) });
    return core;
  };

  readonly usage = (): Usage => usageOf(this.#running);

  readonly createSuccessor = (): HostedCore => {
    const other = new Core(this.#read, this.#host);
    other.journal.importRecords({ forgotten: this.journal.total, records: [] });
    return other;
  };

  readonly adopt = (other: HostedCore): void => {
    if (!(other instanceof Core))
      throw new TypeError("Only a world of this package can be adopted.");
    const next = this.#make.adopt(other.#running);
    assertNotInsideRule("restore", this.#running);
    this.#eras.finish(this.#running.clock.mode, "state");
    const { first, records } = other.journal.records();
    this.journal.importRecords({ forgotten: Math.max(0, first - 1 - this.journal.total), records });
    this.#running = next;
  };

  readonly estimateBytes = (): number => estimateBytes(this.#running);

  readonly reset = (request: { readonly seed?: string | undefined } = {}): void => {
    const { seed } = parseInput(resetSchema, request, "options");
    const { settings } = this.#read;
    assertNotInsideRule("reset", this.#running);
    this.#running = this.#make.fresh({ ...settings, seed: seed ?? settings.seed });
    this.journal.restart();
    this.#eras.clear();
  };

  #copy(host: Host): Core {
    // Rules go over as they are: a function has no place in a snapshot.
    const state = copiedStateOf(this.#running, noFaults);
    return new Core(this.#read, host, { state, rules: this.#running.rules.copy() });
  }

  /** The clock of the world that runs. */
  #createClock(): Clock {
    const running = (): Clock => this.#running.clock;
    return {
      now: () => running().now(),
      get mode(): ClockMode {
        return running().mode;
      },
      advance: (by) => running().advance(by),
      set: (change) => {
        const { mode } = running();
        running().set(change);
        if (running().mode !== mode) this.#eras.finish(mode, "clock");
      },
    };
  }
}

/** A request goes on in the world that it came to: one put in its place meanwhile would know nothing of it. */
function assertNotInsideRule(call: string, { rules }: RunningWorld): void {
  if (!rules.isDeciding) return;
  const why = "a function that decides on a request must not change the world under it";
  throw new InputError(call, `can't be called by a rule: ${why}`, "conflict");
}

const resetSchema = v.strictObject({ seed: v.optional(seedText) });

const noFaults: SavedFaults = { added: 0, rules: [] };
