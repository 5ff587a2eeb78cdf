/** The simulator behind `createSimulator`. All its state is one `WorldState`, which reset and restore replace as a whole. */

import * as v from "valibot";
import { type Audit, auditOf } from "../audit/audit.ts";
import { type ClientReport, reportOf } from "../audit/client-report.ts";
import { createEras, type Eras } from "../audit/findings/eras.ts";
import { createNearestFinder } from "../audit/nearest/nearest.ts";
import type { Clock } from "../base/clock.ts";
import { inField, parseInput } from "../base/input.ts";
import { dedupWindowOf } from "../exchange/operations/time-choices.ts";
import { addRule, createFaults, type Faults } from "../faults/faults.ts";
import type { FaultRule } from "../faults/rule.ts";
import { createJournal, type JournalRing } from "../journal/journal.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { Rejection } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { createDirectory, type Publishers } from "../world/accounts/publisher-directory.ts";
import {
  parseSnapshot,
  readState,
  type Snapshot,
  writeSnapshot,
} from "../world/accounts/snapshot.ts";
import {
  changeAssumptions,
  copyOfState,
  createState,
  type WorldState,
} from "../world/accounts/state.ts";
import type { WorldSettings } from "../world/publishers/world-settings.ts";
import { WorldHistory } from "./history.ts";
import { type Moment, parseMoment, type SavedCopy, type Script } from "./moment.ts";
import { figuresOf, type PublisherFigures } from "./publisher-figures.ts";
import { createRepetition, type Repetition, repeatAll } from "./repetition.ts";
import {
  copiedStateOf,
  createWorldRunner,
  estimateBytes,
  type Host,
  type RunningWorld,
  stateNow,
  type Usage,
  usageOf,
  type WorldRunner,
} from "./running-world.ts";
import type { HostedCore, SimulatorCore } from "./simulator.ts";
import {
  type Choices,
  parseChoices,
  type ResolvedOptions,
  readWallClockMs,
  resolveOptions,
  type SimulatorOptions,
} from "./simulator-options.ts";
import type { WorldChange } from "./world-change.ts";
import { createWorldClock } from "./world-clock.ts";

/** @throws InputError that names the invalid option. */
export function createSimulatorCore(options: SimulatorOptions, host: Host): HostedCore {
  return new Core(resolveOptions(options), host);
}

/**
 * A class, because engines look up methods slowly in a literal with getters, and `handle` is called by the million. The
 * public methods are fields, so that callers can detach them.
 */
class Core implements HostedCore {
  readonly publishers: Publishers;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: JournalRing;
  readonly history: WorldHistory;
  readonly options: ResolvedOptions;
  readonly #host: Host;
  readonly #eras: Eras;
  readonly #run: WorldRunner;
  #running: RunningWorld;

  constructor(options: ResolvedOptions, host: Host, origin?: WorldState) {
    this.options = options;
    this.#host = host;
    this.journal = createJournal({
      entries: options.journalEntries,
      nearest: createNearestFinder(() => this.#running),
    });
    this.#eras = createEras(this.journal);
    this.history = new WorldHistory({
      journal: this.journal,
      now: () => this.#running.clock.now(),
      maxBytes: this.#maxSavedBytes(),
      save: () => this.#saveCopy(),
    });
    const note = (change: WorldChange, atMs?: number): void => this.history.note(change, atMs);
    this.publishers = createDirectory(() => this.#running, note);
    this.faults = createFaults(() => this.#running, note);
    this.clock = createWorldClock({
      running: () => this.#running.clock,
      note,
      modeChanged: (before) => this.#eras.finish(before, "clock"),
    });
    this.#run = createWorldRunner({ options, host, journal: this.journal });
    this.#running = origin === undefined ? this.#begin(options.settings) : this.#run(origin);
    if (origin === undefined) this.history.start();
    else this.history.replaced("fork");
  }

  get seed(): string {
    return this.#running.seed;
  }

  get assumptions(): Assumptions {
    return this.#running.assumptions;
  }

  readonly handle = (request: ApiRequest): ApiResponse => {
    this.history.saveIfDue();
    return this.#running.exchange.handle(request);
  };

  readonly handleFirst = (request: ApiRequest): ApiResponse => {
    this.#running.rules.leavesOutSecond = true;
    return this.handle(request);
  };

  readonly refuse = (rejection: Rejection): ApiResponse => this.#running.exchange.refuse(rejection);

  readonly report = (): ClientReport =>
    reportOf(this.journal, this.#eras.finished(), this.#running.clock.mode);

  readonly assume = (choices: Choices): Assumptions => {
    const chosen = parseChoices(choices);
    const running = this.#running;
    const assumptions = resolveAssumptions({ ...running.assumptions, ...chosen });
    changeAssumptions(running.state, assumptions);
    this.#running = this.#run(running.state, running.clock);
    this.history.note({ kind: "assume", assumptions: { ...chosen } });
    return assumptions;
  };

  readonly audit = (): Audit => auditOf(this.#running, this.journal);

  readonly snapshot = (): Snapshot =>
    writeSnapshot(stateNow(this.#running), dedupWindowOf(this.#running.assumptions));

  readonly restore = (snapshot: Snapshot, by: "restore" | "play" = "restore"): void => {
    const saved = parseSnapshot(snapshot);
    const next = this.#run(readState(saved));
    this.#eras.finish(this.#running.clock.mode, "state");
    this.#running = next;
    this.history.replaced(by);
    this.history.saveIfDue();
  };

  readonly fork = (moment?: Moment): HostedCore =>
    this.#forkWith({ people: this.#host.people }, moment);

  readonly forkCounted = (moment?: Moment): HostedCore => this.#forkWith(this.#host, moment);

  readonly beginAt = (from: Script["from"], assumptions?: Assumptions): Repetition<Core> =>
    createRepetition((standIn) => {
      const { isStart, copy } = from;
      const options: ResolvedOptions = { ...this.options, journalEntries: 0 };
      const { people } = this.#host;
      const { settings, clock, ...content } = copyOfState(copy.state, standIn);
      const chosen = isStart && assumptions !== undefined ? { assumptions } : {};
      const state = {
        ...content,
        settings: { ...settings, ...chosen },
        clock: { ...clock, mode: "frozen" } as const,
      };
      const world = new Core(options, { people }, state);
      if (!isStart && assumptions !== undefined) world.assume(assumptions);
      return world;
    });

  readonly rewriteRules = (rewrite: (rule: FaultRule) => FaultRule): void => {
    const { faults } = this.#running.state;
    faults.rules = faults.rules.map((one) =>
      typeof one.rule === "function" ? one : { ...one, rule: rewrite(one.rule) },
    );
  };

  readonly figuresOf = (publisherId: string): PublisherFigures =>
    figuresOf(this.#running, publisherId);

  readonly fresh = (): SimulatorCore => {
    const { state, clock } = this.#running;
    const { settings } = state;
    const { people } = this.#host;
    const options: ResolvedOptions = { ...this.options, settings, clock: "frozen", faults: [] };
    const core = new Core(options, { people });
    core.clock.set({ nowMs: Math.max(clock.now(), settings.startMs) });
    return core;
  };

  readonly usage = (): Usage => usageOf(this.#running);

  readonly reset = (request: { readonly seed?: string | undefined } = {}): void => {
    const { seed } = parseInput(resetSchema, request, "options");
    const { settings } = this.options;
    this.#running = this.#begin({ ...settings, seed: seed ?? settings.seed });
    this.journal.restart();
    this.#eras.clear();
    this.history.start();
  };

  /** A world in which nothing has happened yet. */
  #begin(settings: WorldSettings): RunningWorld {
    const { clock: mode, wallClock, faults } = this.options;
    const nowMs = mode === "system" ? readWallClockMs(wallClock) : settings.startMs;
    const clock = { mode, nowMs: Math.max(nowMs, settings.startMs) };
    const state = createState(settings, clock);
    for (const [index, rule] of faults.entries()) {
      inField(`faults.${index}`, () => addRule(state.faults, rule, clock.nowMs));
    }
    return this.#run(state);
  }

  #forkWith(host: Host, moment: Moment | undefined): Core {
    const origin = moment === undefined ? copiedStateOf(this.#running) : this.#stateAt(moment);
    const forked = new Core(this.options, host, origin);
    // Before the first change, so that the beginning can be rebuilt.
    forked.history.saveIfDue();
    return forked;
  }

  #stateAt(moment: Moment): WorldState {
    const script = this.history.scriptOf(parseMoment(moment));
    const repetition = this.beginAt(script.from);
    repeatAll(repetition, script);
    const state = copiedStateOf(repetition.world.#running);
    // Real time can't show a past instant, so a system clock flows on from there.
    const mode = script.mode === "frozen" ? "frozen" : "flowing";
    return { ...state, clock: { ...state.clock, mode } };
  }

  #saveCopy(): SavedCopy | undefined {
    const bytes = estimateBytes(this.#running);
    if (bytes > this.#maxSavedBytes()) return undefined;
    return { state: copiedStateOf(this.#running), bytes };
  }

  #maxSavedBytes(): number {
    return this.#host.maxSavedBytes ?? MAX_SAVED_BYTES;
  }
}

const MAX_SAVED_BYTES = 4 * 1024 * 1024;

const resetSchema = v.strictObject({ seed: v.optional(v.string()) });
