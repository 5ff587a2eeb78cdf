/** One simulated service. All its state is in one running world, which reset and restore replace as a whole. */

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
  continuationOf,
  copiedStateOf,
  createWorldFactory,
  estimateBytes,
  type Host,
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
  /** How clients used the API so far, and what they did wrong, according to the journal. Call it when they are done. */
  report(): ClientReport;
  /**
   * Answers a request synchronously. No request makes it throw. The caller may change the response.
   *
   * @throws whatever a fault function throws, and InputError if it returns anything but a verdict.
   */
  handle(request: ApiRequest): ApiResponse;
  /**
   * Changes the choices of some assumptions from now on. Everything recorded stays recorded. A new `limit.algorithm` resets
   * the quotas; a new `dedup.key` or `dedup.window` makes de-duplication forget past events. De-duplication never knows
   * events recorded under `dedup.repeat=count`.
   *
   * @returns all choices in force.
   * @throws InputError for an unknown key or choice, for choices that contradict each other, for another `date.timezone`
   * after events or sign-ups were filed by day, and for another `click.revenue` after clicks were recorded. Nothing changes
   * then.
   */
  assume(readings: Readings): Assumptions;
  /** Counts what was attempted, applied, answered and lost, and says whether the books agree. Reads only. */
  audit(): Audit;
  /**
   * The whole state without the journal, as JSON for {@link restore}.
   *
   * @throws InputError if a fault rule is a function.
   */
  snapshot(): Snapshot;
  /** Replaces the whole state, including seed and options. @throws InputError; nothing changes then. */
  restore(snapshot: Snapshot): void;
  /** A separate simulator that starts from this state, with an empty journal. */
  fork(): SimulatorCore;
  /** A separate simulator with the same seed and settings, at the same instant, without any events. */
  fresh(): SimulatorCore;
  usage(): Usage;
  /** Starts over from the options, including clock, journal, assumptions and fault rules. Another seed gives another population. */
  reset(options?: { readonly seed?: string | undefined }): void;
}

/** A simulator with what a server needs in addition. */
export interface HostedCore extends SimulatorCore {
  readonly journal: JournalRing;
  fork(): HostedCore;
  /** A fork that becomes a world of the server: its requests count in the metrics. */
  forkCounted(): HostedCore;
  /** Answers broken HTTP, which never became a request. The journal doesn't record it. */
  refuse(rejection: Rejection): ApiResponse;
  /** Estimated memory of the world without its journal, in bytes. */
  estimateBytes(): number;
  /** {@link report} as work that others can interrupt. */
  reportInSlices(): Work<ClientReport>;
  /** {@link audit} as work that others can interrupt. */
  auditInSlices(): Work<Audit>;
  /** {@link snapshot} as JSON text in pieces: the state at the time of the call. @throws as `snapshot` does. */
  snapshotInPieces(): Iterable<string>;
  /** {@link restore} as work that others can interrupt. The world keeps its state until the end. */
  restoreInSlices(snapshot: Snapshot): Work<void>;
  /** A world from the same options, whose journal continues this one's count. */
  createSuccessor(): HostedCore;
  /** Takes over another world's state and its journal's records. The other world must not be used again. */
  adopt(other: HostedCore): void;
}

/** @throws InputError that names the invalid option. */
export function createSimulatorCore(options: SimulatorOptions, host: Host): HostedCore {
  return new Core(resolveOptions(options), host);
}

interface InitialState {
  readonly state: WorldState<Book>;
  readonly rules: RuleList;
}

/**
 * A class, because engines look up methods slowly in a literal with getters, and `handle` is called by the million. The
 * public methods are fields, so that callers can detach them.
 */
class Core implements HostedCore {
  readonly publishers: Publishers = createDirectory(() => this.#running);
  readonly clock: Clock = this.#createClock();
  readonly faults: Faults;
  readonly journal: JournalRing;
  readonly #options: ResolvedOptions;
  readonly #host: Host;
  readonly #eras: Eras;
  readonly #transports = createTransports();
  readonly #make: WorldFactory;
  #running: RunningWorld;

  constructor(options: ResolvedOptions, host: Host, origin?: InitialState) {
    this.#options = options;
    this.#host = host;
    const transports = this.#transports;
    this.journal = createJournal({
      entries: options.journalEntries,
      budget: createJournalBudget(options.journalBytes),
      nearest: createNearestFinder(() => this.#running),
    });
    this.#eras = createEras(this.journal);
    this.faults = createFaults(() => this.#running, transports);
    this.#make = createWorldFactory({ options, host, journal: this.journal, transports });
    this.#running =
      origin === undefined
        ? this.#make.create(options.settings)
        : runToEnd(this.#make.load(origin.state, origin.rules, (book) => book));
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
    const settings = { ...running.settings, assumptions };
    const next = this.#make.continueFrom(settings, continuationOf(running));
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
    const next = yield* this.#make.load(saved, rules, Book.load);
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
    const options: ResolvedOptions = { ...this.#options, settings, clock: "frozen", faults: [] };
    const core = new Core(options, { people });
    core.clock.set({ nowMs: Math.max(clock.now(), settings.startMs) });
    return core;
  };

  readonly usage = (): Usage => usageOf(this.#running);

  readonly createSuccessor = (): HostedCore => {
    const other = new Core(this.#options, this.#host);
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
    const { settings } = this.#options;
    assertNotInsideRule("reset", this.#running);
    this.#running = this.#make.create({ ...settings, seed: seed ?? settings.seed });
    this.journal.restart();
    this.#eras.clear();
  };

  #copy(host: Host): Core {
    // Copies the rules directly, because a snapshot can't hold functions.
    const state = copiedStateOf(this.#running, noFaults);
    return new Core(this.#options, host, { state, rules: this.#running.rules.copy() });
  }

  /** Delegates to the clock of the running world. */
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

/** A request finishes in the world that it came to, so a rule must not replace the world meanwhile. */
function assertNotInsideRule(call: string, { rules }: RunningWorld): void {
  if (!rules.isDeciding) return;
  const why = "it would replace the world in the middle of a request";
  throw new InputError(call, `can't be called by a fault rule: ${why}`, "conflict");
}

const resetSchema = v.strictObject({ seed: v.optional(seedText) });

const noFaults: SavedFaults = { added: 0, rules: [] };
