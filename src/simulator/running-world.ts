/**
 * Makes running worlds out of states: the parts that are derived from a state, wired up. The clock of a simulator is that of the
 * world that is running now, and notes its changes.
 */

import { type Clock, type ClockMode, createClock, type WallClock } from "../base/clock.ts";
import { durationMs } from "../base/duration.ts";
import { createExchange, type Exchange } from "../exchange/exchange.ts";
import type { Meter } from "../exchange/meter.ts";
import { dayReader } from "../exchange/operations/time-choices.ts";
import type { World } from "../exchange/world.ts";
import { createRules } from "../faults/rules.ts";
import type { WorldJournal } from "../journal/journal.ts";
import type { WorldChange } from "../journal/log.ts";
import { createAccounts } from "../world/accounts/accounts.ts";
import type { DirectoryWorld } from "../world/accounts/publisher-directory.ts";
import { copyOfState, type WorldState } from "../world/accounts/state.ts";
import { createIds } from "../world/publishers/ids.ts";
import type { PersonGenerator } from "../world/publishers/people.ts";
import { createPopulation } from "../world/publishers/population.ts";
import { describeWorld } from "../world/publishers/world-settings.ts";
import { type ResolvedOptions, readWallClockMs } from "./simulator-options.ts";

/** What the host provides. */
export interface Host {
  /** Returns the generator of names and contacts. Called on first use, because it loads slowly. */
  readonly people: () => PersonGenerator;
  /** Counts what happens in all worlds of this host. @default nothing is counted */
  readonly meter?: Meter | undefined;
  /** Most bytes of a copy of a world's state for its past, by estimate. @default 4194304 */
  readonly maxCopyBytes?: number | undefined;
}

/** A state with all that is derived from it. */
export interface RunningWorld extends World, DirectoryWorld {
  /** Changes with every request. Its clock is as it was when the world began. */
  readonly state: WorldState;
  readonly exchange: Exchange;
}

/** What the worlds of one simulator share. */
interface Shared {
  readonly options: ResolvedOptions;
  readonly host: Host;
  readonly journal: WorldJournal;
}

/** Runs a state, which belongs to the running world from now on. `given`: the clock to go on with. */
export function runWorld(
  state: WorldState,
  { options, host: { people, meter }, journal }: Shared,
  given?: Clock,
): RunningWorld {
  const { wallClock, explain, origins } = options;
  const { settings } = state;
  const { seed, assumptions } = settings;
  const clock = given ?? clockOf(state, wallClock);
  const about = describeWorld(settings);
  const dayOf = dayReader(assumptions);
  const ids = createIds(seed, assumptions);
  const startDay = dayOf(settings.startMs);
  const population = createPopulation({ settings, startDay, ids, people });
  const accounts = createAccounts(state, { ids, population });
  const rules = createRules(seed, state.faults);
  const access = { clock, dayOf, rules, explain, origins, meter };
  const world = { seed, about, assumptions, ids, population, accounts, ...access };
  return { ...world, state, exchange: createExchange(world, journal) };
}

function clockOf({ clock: { mode, nowMs } }: WorldState, wallClock: WallClock | undefined): Clock {
  // The system clock shows real time, however old the state is.
  const startMs = mode === "system" ? Math.max(nowMs, readWallClockMs(wallClock)) : nowMs;
  return createClock(mode, startMs, wallClock);
}

/** A copy of the present state, for another world. */
export function copiedStateOf(world: RunningWorld): WorldState {
  return copyOfState(stateNow(world));
}

/** The state with the time that the world shows now. */
export function stateNow({ state, clock }: RunningWorld): WorldState {
  return { ...state, clock: { mode: clock.mode, nowMs: clock.now() } };
}

/** Measured memory of a copy in bytes: of a world, an account, an impression, and one that may still be repeated. */
const BYTES = { world: 500, account: 2100, impression: 28, session: 150 };

/** Estimates the size of a copy of the world, in bytes. */
export function estimateBytes({ state: { accounts } }: RunningWorld): number {
  let bytes = BYTES.world;
  for (const { book } of accounts.values()) {
    bytes += BYTES.account + BYTES.impression * book.count + BYTES.session * book.sessions.size;
  }
  return bytes;
}

/** The clock of a simulator: that of `running`, the world that is running now. */
export function createWorldClock(
  running: () => Clock,
  note: (change: WorldChange, atMs: number) => void,
): Clock {
  return {
    now: () => running().now(),
    get mode(): ClockMode {
      return running().mode;
    },
    advance(by) {
      const nowMs = running().advance(by);
      note({ kind: "advance", byMs: durationMs(by) }, nowMs);
      return nowMs;
    },
    set(change) {
      const { mode: was } = running();
      running().set(change);
      const { mode } = running();
      const nowMs = running().now();
      note({ kind: "set-clock", mode, nowMs, was }, nowMs);
    },
  };
}
