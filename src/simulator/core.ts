/** The simulator behind `createSimulator`. All its state is one `WorldState`, which reset and restore replace as a whole. */

import * as v from "valibot";
import { type Audit, auditOf } from "../audit/audit.ts";
import { type ClientReport, reportOf } from "../audit/client-report.ts";
import { figuresOf } from "../audit/figures.ts";
import { createNearestFinder } from "../audit/nearest/nearest.ts";
import type { Clock } from "../base/clock.ts";
import { inField, parseInput } from "../base/input.ts";
import { strictObject } from "../base/schemas.ts";
import { dedupWindowOf } from "../exchange/operations/time-choices.ts";
import { addRule, createFaults, type Faults } from "../faults/faults.ts";
import { type Journal, WorldJournal } from "../journal/journal.ts";
import type { WorldChange } from "../journal/log.ts";
import type { Assumptions } from "../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { Rejection } from "../spec/errors.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import {
  accountWith,
  createDirectory,
  type Publishers,
} from "../world/accounts/publisher-directory.ts";
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
import { type Moment, Past, parseMoment, type Script } from "./past.ts";
import { type Replay, replay } from "./replay.ts";
import {
  copiedStateOf,
  createWorldClock,
  type Host,
  type RunningWorld,
  runWorld,
  stateNow,
} from "./running-world.ts";
import {
  type Choices,
  parseChoices,
  type ResolvedOptions,
  readWallClockMs,
  resolveOptions,
  type SimulatorOptions,
} from "./simulator-options.ts";

/** One simulated service, without a transport. */
export interface SimulatorCore
  extends Pick<
    HostedCore,
    | "seed"
    | "assumptions"
    | "publishers"
    | "clock"
    | "faults"
    | "report"
    | "handle"
    | "assume"
    | "audit"
    | "snapshot"
    | "usage"
    | "reset"
  > {
  readonly journal: Journal;
  /** Replaces the whole state, including seed and options. @throws InputError; nothing changes then. */
  restore(snapshot: Snapshot): void;
  /**
   * A separate simulator that starts from this state, with an empty journal. With a moment it starts from the state of that
   * moment instead, such as `{ after: 17 }`: right after entry 17 of the journal.
   *
   * @throws InputError if what the moment is rebuilt from was dropped, or the journal never had the entry.
   */
  fork(moment?: Moment): SimulatorCore;
  /** A separate simulator with the same seed and settings, at the same instant, without any events. */
  fresh(): SimulatorCore;
}

/** @throws InputError that names the invalid option. */
export function createSimulatorCore(options: SimulatorOptions, host: Host): HostedCore {
  return new HostedCore(resolveOptions(options), host);
}

/** A simulator with what a server needs in addition. What users call are fields, so that they can detach it. */
export class HostedCore {
  readonly publishers: Publishers;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: WorldJournal;
  readonly past: Past;
  /** What it was made from. A reset starts over from it. */
  readonly options: ResolvedOptions;
  readonly host: Host;
  #running: RunningWorld;

  constructor(options: ResolvedOptions, host: Host, origin?: WorldState) {
    this.options = options;
    this.host = host;
    const nearest = createNearestFinder(() => this.#running);
    this.journal = new WorldJournal(options.journalEntries, nearest);
    this.past = new Past(this.journal, () => this.#running, host.maxCopyBytes);
    const note = (change: WorldChange, atMs = this.#running.clock.now()): void =>
      this.journal.note(change, atMs);
    this.publishers = createDirectory(() => this.#running, note);
    this.faults = createFaults(() => this.#running, note);
    this.clock = createWorldClock(() => this.#running.clock, note);
    this.#running =
      origin === undefined ? this.#newWorld(options.settings) : runWorld(origin, this);
    this.past.restart();
  }

  get seed(): string {
    return this.#running.seed;
  }

  get assumptions(): Assumptions {
    return this.#running.assumptions;
  }

  /**
   * Answers a request synchronously. No request makes it throw. The caller may change the response.
   *
   * @throws whatever a fault function throws, and InputError if it returns anything but a verdict.
   */
  readonly handle = (request: ApiRequest): ApiResponse => {
    this.past.takeCopyIfDue();
    return this.#running.exchange.handle(request);
  };

  /** Answers broken HTTP, which never became a request. The journal doesn't record it. */
  readonly refuse = (rejection: Rejection): ApiResponse => this.#running.exchange.refuse(rejection);

  /** How clients used the API so far, and what they did wrong, according to the journal. Call it when they are done. */
  readonly report = (): ClientReport => reportOf(this.journal, this.#running.clock.mode);

  /**
   * Changes the choices of some assumptions from now on. Everything recorded stays recorded. A new `limit.algorithm` resets
   * the quotas; a new `dedup.key` or `dedup.window` makes de-duplication forget past events. De-duplication never knows
   * events recorded under `dedup.repeat=count`.
   *
   * @returns all choices in force.
   * @throws InputError for an unknown key or choice, and for another `date.timezone` after events or sign-ups were filed by
   * day. Nothing changes then.
   */
  readonly assume = (choices: Choices): Assumptions => {
    const chosen = parseChoices(choices);
    const running = this.#running;
    const assumptions = resolveAssumptions({ ...running.assumptions, ...chosen });
    changeAssumptions(running.state, assumptions);
    this.#running = runWorld(running.state, this, running.clock);
    this.journal.note({ kind: "assume", assumptions: { ...chosen } }, this.clock.now());
    return assumptions;
  };

  /** Counts what was attempted, applied, answered and lost, and says whether all figures agree. Reads only. */
  readonly audit = (): Audit => auditOf(this.#running, this.journal);

  /** The whole state without the journal, as JSON for `restore`. @throws InputError if a fault rule is a function. */
  readonly snapshot = (): Snapshot =>
    writeSnapshot(stateNow(this.#running), dedupWindowOf(this.#running.assumptions));

  /** See {@link SimulatorCore.restore}. `by`: what replaces the state. */
  readonly restore = (snapshot: Snapshot, by: "restore" | "play" = "restore"): void => {
    const saved = parseSnapshot(snapshot);
    const was = this.#running.clock.mode;
    this.#running = runWorld(readState(saved), this);
    this.journal.note({ kind: "replace", by, was }, this.clock.now());
    this.past.takeCopy();
  };

  /** See {@link SimulatorCore.fork}. `host`: counts its requests, if it becomes a world of the server. */
  readonly fork = (moment?: Moment, host: Host = { people: this.host.people }): HostedCore => {
    const origin = moment === undefined ? copiedStateOf(this.#running) : this.#stateAt(moment);
    return new HostedCore(this.options, host, origin);
  };

  /** A copy of the world at a moment, without a journal. Its clock stands still. `choices`: set before the script is played. */
  readonly rebuild = (script: Script, how: Replay & { choices?: Choices } = {}): HostedCore =>
    replay(
      script,
      (standIn) => {
        const options: ResolvedOptions = { ...this.options, journalEntries: 0 };
        const state = copyOfState(script.from, standIn);
        const clock = { ...state.clock, mode: "frozen" } as const;
        const world = new HostedCore(options, { people: this.host.people }, { ...state, clock });
        if (how.choices !== undefined) world.assume(how.choices);
        return world;
      },
      how,
    );

  /**
   * What is recorded of a publisher, and its quotas: events since the world's start, amounts in INR with the seeded history.
   *
   * @throws InputError if no publisher has this id.
   */
  readonly figuresOf = (publisherId: string) => {
    const { accounts, clock, dayOf, exchange, population } = this.#running;
    const account = accountWith(publisherId, "peek", accounts);
    const { count, clickCount, amounts } = figuresOf(account, population, dayOf(clock.now()));
    const quotas = exchange.quotasLeft(account);
    return { recorded: { impressions: count, clicks: clickCount, ...amounts }, quotas };
  };

  readonly fresh = (): SimulatorCore => {
    const { state, clock } = this.#running;
    const { settings } = state;
    const { people } = this.host;
    const options: ResolvedOptions = { ...this.options, settings, clock: "frozen", faults: [] };
    const core = new HostedCore(options, { people });
    core.clock.set({ nowMs: Math.max(clock.now(), settings.startMs) });
    return core;
  };

  /** How many publishers have sent a request, signed up or were changed, and how many impressions they have. */
  readonly usage = () => {
    const accounts = [...this.#running.state.accounts.values()];
    const impressions = accounts.reduce((sum, { book }) => sum + book.count, 0);
    return { publishersTouched: accounts.length, impressions };
  };

  /** Starts over from the options, including clock, journal, assumptions and fault rules. Another seed gives another population. */
  readonly reset = (request: { readonly seed?: string | undefined } = {}): void => {
    const schema = strictObject({ seed: v.optional(v.string()) });
    const { seed } = parseInput(schema, request, "options");
    const { settings } = this.options;
    this.journal.restart();
    this.#running = this.#newWorld({ ...settings, seed: seed ?? settings.seed });
    this.past.restart();
  };

  /** A world in which nothing has happened yet. */
  #newWorld(settings: WorldSettings): RunningWorld {
    const { clock: mode, wallClock, faults } = this.options;
    const nowMs = mode === "system" ? readWallClockMs(wallClock) : settings.startMs;
    const clock = { mode, nowMs: Math.max(nowMs, settings.startMs) };
    const state = createState(settings, clock);
    for (const [index, rule] of faults.entries()) {
      inField(`faults.${index}`, () => addRule(state.faults, rule, clock.nowMs));
    }
    return runWorld(state, this);
  }

  #stateAt(moment: Moment): WorldState {
    const script = this.past.scriptOf(parseMoment(moment));
    const state = copiedStateOf(this.rebuild(script).#running);
    // Real time can't show a past instant, so a system clock flows on from there.
    const mode = script.mode === "frozen" ? "frozen" : "flowing";
    return { ...state, clock: { ...state.clock, mode } };
  }
}
