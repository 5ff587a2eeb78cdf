/**
 * Time that passes when the kit says so: timers in order on the world's clock, and nobody waits. A client under test gets
 * it in place of the machine's.
 */

import type { Clock } from "../../base/clock.ts";
import type { Time, Timer, Timers } from "./time.ts";

/** Answers and arrivals that wait to be let through, one at a time. fast-check's scheduler is one. */
export interface PendingTasks {
  count(): number;
  waitOne(): Promise<void>;
}

/** More than any client has at once that isn't broken. */
const MAX_TIMERS = 100_000;
/** More than fire in any time that a client is watched for. A year of one that looks at its queue each second has more. */
const MAX_FIRED = 5000;
/** Timers that fire while one thing is waited for. Who has more asks for the time again and again, maybe without an end. */
const MAX_AWAITED = 100_000;
/** Six hours: nobody waits longer for one thing. */
const LONGEST_WAIT_MS = 6 * 3_600_000;
/** Turns of the event loop without a sign of work, after which the client waits for a timer. */
const QUIET_TURNS = 3;
/** Real time in which something may still come that isn't of the world: a digest, a file, a module. */
const GRACE_MS = 100;
/** A client that ticks on without a sign of work is given its patience so often, and then goes by its ticks. */
const MAX_PATIENCE = 50;

export interface VirtualTimeOptions {
  /** It is frozen, and only this moves it. */
  readonly clock: Pick<Clock, "now" | "advance">;
  /** Let through whenever nothing else moves, before time does. @default nothing is held */
  readonly held?: PendingTasks | undefined;
  /** Real time in which something may still come that isn't of the world, though timers are pending. @default 0 */
  readonly patienceMs?: number | undefined;
  /** Takes what a timer's callback throws. @default it comes out of whatever lets time pass */
  readonly onThrow?: ((error: unknown) => void) | undefined;
}

export function createVirtualTime(options: VirtualTimeOptions): Time {
  const { clock, held, patienceMs = 0, onThrow = rethrow } = options;
  const waiting: VirtualTimer[] = [];
  /** Counts what happened: as long as it grows, the client isn't waiting for anything. */
  let activity = 0;
  /** How often it was given its patience and made nothing of it. */
  let fruitlessWaits = 0;

  const timers: Timers = {
    now: () => clock.now(),
    setTimeout(callback, delayMs = 0) {
      if (waiting.length >= MAX_TIMERS) {
        throw new Error(`The client has ${MAX_TIMERS} timers at once.`);
      }
      activity += 1;
      const delay = Number.isFinite(delayMs) ? Math.max(0, delayMs) : 0;
      const timer = new VirtualTimer(callback, clock.now() + Math.ceil(delay));
      // Behind all that are due no later: of one instant, first come, first served.
      const place = waiting.findLastIndex(({ atMs }) => atMs <= timer.atMs) + 1;
      waiting.splice(place, 0, timer);
      return timer;
    },
    clearTimeout(timer) {
      const place = waiting.findIndex((one) => one.is(timer));
      if (place < 0) return;
      activity += 1;
      waiting.splice(place, 1);
    },
  };

  async function settle(isOver: () => boolean = never): Promise<void> {
    for (;;) {
      for (let quiet = 0, seen = activity; quiet < QUIET_TURNS; quiet += 1) {
        await turn();
        if (activity !== seen) quiet = -1;
        seen = activity;
      }
      if (held !== undefined && held.count() > 0) {
        await held.waitOne();
        continue;
      }
      if (isOver() || fruitlessWaits >= MAX_PATIENCE) return;
      if (!(await movesWithin(patienceMs, isOver))) {
        fruitlessWaits += 1;
        return;
      }
    }
  }

  /** Whether the machine itself still had something to do for the client, of which the world knows nothing. */
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
      // Of a client that ticks on and on the rest comes late and once, as after a machine's sleep.
      await fireUntil(endMs);
    },
    async until(work) {
      const endMs = clock.now() + LONGEST_WAIT_MS;
      let isOver = false;
      const noteOver = (): void => {
        isOver = true;
      };
      work.then(noteOver, noteOver);
      fruitlessWaits = 0;
      const over = (): boolean => isOver;
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
    settle: () => settle(),
  };
}

function never(): boolean {
  return false;
}

function rethrow(error: unknown): never {
  throw error;
}

/** What `setTimeout` gives. Node's has these methods, and clients call them. */
class VirtualTimer implements Timer {
  readonly callback: () => void;
  readonly atMs: number;

  constructor(callback: () => void, atMs: number) {
    this.callback = callback;
    this.atMs = atMs;
  }
  is(timer: Timer | undefined): boolean {
    return this === timer;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** Taken before a world can replace it. */
const realTimeout = setTimeout;

function realMillisecond(): Promise<void> {
  return new Promise<void>((resolve) => {
    realTimeout(resolve, 1);
  });
}

/** Node and browsers have different ways to take a turn of the event loop. Taken before a world can replace it. */
const nextTurn: (act: () => void) => unknown =
  typeof setImmediate === "function" ? setImmediate : setTimeout;

/** A turn, in which all promises move that can. */
function turn(): Promise<void> {
  return new Promise<void>((resolve) => {
    nextTurn(resolve);
  });
}
