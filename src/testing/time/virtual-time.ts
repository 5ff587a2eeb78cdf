/** Virtual time for a client under test: the kit moves the world's clock from timer to timer, without waiting. */

import type { Clock } from "../../base/clock.ts";
import type { Time, Timer, Timers } from "./time.ts";

/** Timers fired in one `pass`. Only a client that ticks through a very long period has more. */
const MAX_FIRED = 5000;
/** Timers fired in one `until`. A client that needs more is polling, perhaps forever. */
const MAX_AWAITED = 100_000;
/** Six hours: the longest wait for one piece of work. */
const LONGEST_WAIT_MS = 6 * 3_600_000;
/** After this many turns of the event loop without activity, the client is taken to wait for a timer. */
const QUIET_TURNS = 3;
/** Real time for work outside the world to finish, such as a digest, a file or an import. */
const GRACE_MS = 100;
/** A client that only ticks gets its patience this many times in a row, and then none. */
const MAX_PATIENCE = 50;

export interface VirtualTimeOptions {
  /** A frozen clock that nothing else moves. */
  readonly clock: Pick<Clock, "now" | "advance">;
  /** Real time given to work outside the world before a pending timer fires. @default 0 */
  readonly patienceMs?: number | undefined;
  /** Gets what a timer's callback throws. */
  onThrow(error: unknown): void;
}

export interface VirtualTime extends Time {
  /** Call it when something happened: the client isn't waiting. */
  noteActivity(): void;
}

export function createVirtualTime(options: VirtualTimeOptions): VirtualTime {
  const { clock, patienceMs = 0, onThrow } = options;
  /** Counts what happened. While it grows, the client isn't waiting. */
  let activity = 0;
  /** How often in a row the client did nothing with its patience. */
  let fruitlessWaits = 0;
  const { timers, waiting } = createTimers(clock, () => {
    activity += 1;
  });

  async function settle(isOver: () => boolean = () => false): Promise<void> {
    for (;;) {
      for (let quiet = 0, seen = activity; quiet < QUIET_TURNS; quiet += 1) {
        await turn();
        if (activity !== seen) quiet = -1;
        seen = activity;
      }
      if (isOver() || fruitlessWaits >= MAX_PATIENCE) return;
      if (!(await movesWithin(patienceMs, isOver))) {
        fruitlessWaits += 1;
        return;
      }
    }
  }

  /** Waits in real time. @returns whether work outside the world led to activity, or the work is over. */
  async function movesWithin(ms: number, isOver: () => boolean): Promise<boolean> {
    const seen = activity;
    for (let waitedMs = 0; waitedMs < ms; waitedMs += 1) {
      await realMillisecond();
      if (isOver() || activity !== seen) return true;
    }
    return false;
  }

  async function fireNext(isOver?: () => boolean): Promise<void> {
    const next = waiting.shift();
    if (next === undefined) return;
    if (next.atMs > clock.now()) clock.advance(next.atMs - clock.now());
    try {
      next.callback();
    } catch (error) {
      onThrow(error);
    }
    await settle(isOver);
  }

  async function fireUntil(endMs: number): Promise<void> {
    for (let fired = 0; fired < MAX_FIRED; fired += 1) {
      if ((waiting[0]?.atMs ?? Number.POSITIVE_INFINITY) > endMs) return;
      await fireNext();
    }
  }

  return {
    timers,
    noteActivity() {
      activity += 1;
      fruitlessWaits = 0;
    },
    async pass(ms) {
      fruitlessWaits = 0;
      await settle();
      const endMs = clock.now() + ms;
      await fireUntil(endMs);
      if (clock.now() < endMs) clock.advance(endMs - clock.now());
      // If a client ticks too often, the rest fires late, as after a machine's sleep.
      await fireUntil(endMs);
    },
    async until(work) {
      const endMs = clock.now() + LONGEST_WAIT_MS;
      let isOver = false;
      const over = (): boolean => isOver;
      void Promise.allSettled([work]).then(() => {
        isOver = true;
      });
      fruitlessWaits = 0;
      await settle(over);
      for (let fired = 0; !isOver; fired += 1) {
        const nextMs = waiting[0]?.atMs;
        if (nextMs === undefined) {
          if (!(await movesWithin(GRACE_MS, over))) return { kind: "stuck" };
          await settle(over);
          continue;
        }
        if (nextMs > endMs || fired > MAX_AWAITED) return { kind: "endless" };
        await fireNext(over);
      }
      return { kind: "over" };
    },
    pendingTimers: () => waiting.filter((timer) => timer.hasRef()).map(({ atMs }) => atMs),
    settle: () => settle(),
  };
}

interface WaitingTimer extends Timer {
  readonly id: number;
  readonly callback: () => void;
  atMs: number;
}

/** Unlike numbers of one world alone, these never clear a timer of a later world. */
let made = 0;

/** `waiting`: the timers that may still fire, the next one first. */
function createTimers(
  { now }: Pick<Clock, "now">,
  noteActivity: () => void,
): { readonly timers: Timers; readonly waiting: WaitingTimer[] } {
  const waiting: WaitingTimer[] = [];
  const timers: Timers = {
    now,
    setTimeout(callback, delayMs = 0) {
      const delay = Number.isFinite(delayMs) ? Math.max(0, Math.ceil(delayMs)) : 0;
      made += 1;
      const id = made;
      let isRef = true;
      const timer: WaitingTimer = {
        ...{ id, callback, atMs: 0 },
        ref: () => setRef(true),
        unref: () => setRef(false),
        hasRef: () => isRef,
        refresh() {
          timers.clearTimeout(timer);
          timer.atMs = now() + delay;
          // Timers due at the same instant fire in the order in which they were set.
          const place = waiting.findLastIndex(({ atMs }) => atMs <= timer.atMs) + 1;
          waiting.splice(place, 0, timer);
          noteActivity();
          return timer;
        },
        close: () => timers.clearTimeout(timer),
        [Symbol.toPrimitive]: () => id,
      };
      const setRef = (value: boolean): WaitingTimer => {
        isRef = value;
        return timer;
      };
      return timer.refresh();
    },
    clearTimeout(given) {
      const place = waiting.findIndex((timer) =>
        typeof given === "object" ? timer === given : timer.id === Number(given),
      );
      if (place < 0) return;
      waiting.splice(place, 1);
      noteActivity();
    },
  };
  return { timers, waiting };
}

// Read before a world can replace them. Browsers have no `setImmediate`.
const realTimeout = setTimeout;
const realImmediate: typeof realTimeout | typeof setImmediate =
  typeof setImmediate === "function" ? setImmediate : setTimeout;

const realMillisecond = (): Promise<void> => new Promise((go) => void realTimeout(go, 1));

/** One turn of the event loop, in which every promise that can settle does. */
const turn = (): Promise<void> => new Promise((go) => void realImmediate(go));
