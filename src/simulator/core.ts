/** The simulator behind `createSimulator`. All its state is one `WorldState`, which reset and restore replace as a whole. */

import * as v from "valibot";
import { type Audit, auditOf } from "../audit/audit.ts";
import { type ClientReport, reportOf } from "../audit/client-report.ts";
import { createNearestFinder } from "../audit/nearest/nearest.ts";
import type { Clock } from "../base/clock.ts";
import { inField, parseInput } from "../base/input.ts";
import { dedupWindowOf } from "../exchange/operations/time-choices.ts";
import { addRule, createFaults, type Faults } from "../faults/faults.ts";
import type { FaultRule } from "../faults/rule.ts";
import { createJournal, type JournalRing } from "../journal/journal.ts";
import type { WorldChange } from "../journal/world-change.ts";
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
import { MAX_COPY_BYTES, type Moment, Past, parseMoment, type Script } from "./past.ts";
import { figuresOf, type PublisherFigures } from "./publisher-figures.ts";
import { type Replay, replay } from "./replay.ts";
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
  readonly past: Past;
  readonly options: ResolvedOptions;
  readonly #host: Host;
  readonly #run: WorldRunner;
  #running: RunningWorld;

  constructor(options: ResolvedOptions, host: Host, origin?: WorldState) {
    this.options = options;
    this.#host = host;
    this.journal = createJournal({
      entries: options.journalEntries,
      nearest: createNearestFinder(() => this.#running),
    });
    this.past = new Past({
      log: this.journal.log,
      now: () => this.#running.clock.now(),
      copy: () => this.#copy(),
    });
    const note = (change: WorldChange, atMs = this.#running.clock.now()): void =>
      this.journal.log.note(change, atMs);
    this.publishers = createDirectory(() => this.#running, note);
    this.faults = createFaults(() => this.#running, note);
    this.clock = createWorldClock(() => this.#running.clock, note);
    this.#run = createWorldRunner({ options, host, journal: this.journal });
    this.#running = origin === undefined ? this.#begin(options.settings) : this.#run(origin);
    this.past.begin();
  }

  get seed(): string {
    return this.#running.seed;
  }

  get assumptions(): Assumptions {
    return this.#running.assumptions;
  }

  readonly handle = (request: ApiRequest): ApiResponse => {
    this.past.keepIfDue();
    return this.#running.exchange.handle(request);
  };

  readonly refuse = (rejection: Rejection): ApiResponse => this.#running.exchange.refuse(rejection);

  readonly report = (): ClientReport => reportOf(this.journal, this.#running.clock.mode);

  readonly assume = (choices: Choices): Assumptions => {
    const chosen = parseChoices(choices);
    const running = this.#running;
    const assumptions = resolveAssumptions({ ...running.assumptions, ...chosen });
    changeAssumptions(running.state, assumptions);
    this.#running = this.#run(running.state, running.clock);
    this.journal.log.note({ kind: "assume", assumptions: { ...chosen } }, this.clock.now());
    return assumptions;
  };

  readonly audit = (): Audit => auditOf(this.#running, this.journal);

  readonly snapshot = (): Snapshot =>
    writeSnapshot(stateNow(this.#running), dedupWindowOf(this.#running.assumptions));

  readonly restore = (snapshot: Snapshot, by: "restore" | "play" = "restore"): void => {
    const saved = parseSnapshot(snapshot);
    const was = this.#running.clock.mode;
    this.#running = this.#run(readState(saved));
    this.journal.log.note({ kind: "replace", by, was }, this.clock.now());
    this.past.keep();
  };

  readonly fork = (moment?: Moment): HostedCore =>
    this.#forkWith({ people: this.#host.people }, moment);

  readonly forkCounted = (moment?: Moment): HostedCore => this.#forkWith(this.#host, moment);

  readonly rebuild = (script: Script, how: Replay & { choices?: Choices } = {}): Core =>
    replay(
      script,
      (standIn) => {
        const options: ResolvedOptions = { ...this.options, journalEntries: 0 };
        const state = copyOfState(script.from, standIn);
        const clock = { ...state.clock, mode: "frozen" } as const;
        const world = new Core(options, { people: this.#host.people }, { ...state, clock });
        if (how.choices !== undefined) world.assume(how.choices);
        return world;
      },
      how,
    );

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
    this.past.begin();
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
    return new Core(this.options, host, origin);
  }

  #stateAt(moment: Moment): WorldState {
    const script = this.past.scriptOf(parseMoment(moment));
    const state = copiedStateOf(this.rebuild(script).#running);
    // Real time can't show a past instant, so a system clock flows on from there.
    const mode = script.mode === "frozen" ? "frozen" : "flowing";
    return { ...state, clock: { ...state.clock, mode } };
  }

  #copy(): { readonly state: WorldState; readonly bytes: number } | undefined {
    const bytes = estimateBytes(this.#running);
    if (bytes > (this.#host.maxCopyBytes ?? MAX_COPY_BYTES)) return undefined;
    return { state: copiedStateOf(this.#running), bytes };
  }
}

const resetSchema = v.strictObject({ seed: v.optional(v.string()) });
