/**
 * Replaces the global fetch, clock, timers and randomness by the world's, for a client that uses the globals. Only one
 * world at a time can do that.
 */

import type { Timer, Timers } from "../time/time.ts";
import { seededRandom } from "./seeded-random.ts";
import { datesOf, type Replacements } from "./zoned-date.ts";

let isTaken = false;

/**
 * Replaces `fetch`, `Date`, `performance.now`, `AbortSignal.timeout`, `setTimeout`, `setInterval` and the functions
 * that clear them, `Math.random`, `crypto.getRandomValues` and `crypto.randomUUID`.
 *
 * @param seed Decides what the random functions return.
 * @param timeZone What dates take for the machine's time zone. @default the machine's
 * @throws Error if another world has replaced them.
 * @returns a function that restores them.
 */
export function replaceGlobals(
  timers: Timers,
  fetch: typeof globalThis.fetch,
  { seed, timeZone }: { readonly seed: string; readonly timeZone?: string | undefined },
): () => void {
  if (isTaken) {
    throw new Error(
      "Another test in this process has replaced the globals: run such tests one after the other.",
    );
  }
  isTaken = true;
  const startedAtMs = timers.now();
  const replacements: Replacements = [
    [globalThis, globalsOf(timers, fetch)],
    [performance, { now: () => timers.now() - startedAtMs }],
    [AbortSignal, { timeout: (ms: number) => timeoutSignal(timers, ms) }],
    ...datesOf(timers.now, timeZone),
    ...seededRandom(seed),
  ];
  const undo = replacements.flatMap(([target, members]) =>
    Object.entries(members).map(([name, value]) => replace(target, name, value)),
  );
  return () => {
    // Only once: later the globals may be another world's.
    const all = undo.splice(0);
    for (const one of all) one();
    if (all.length > 0) isTaken = false;
  };
}

function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
  };
}

type Callback = (...given: unknown[]) => void;

function globalsOf(timers: Timers, fetch: typeof globalThis.fetch): Record<string, unknown> {
  const byNumber = new Map<number, GlobalTimer>();
  const started = (ends: Ends, callback: Callback, ms: unknown, given: unknown[]): GlobalTimer => {
    const act = (): void => callback(...given);
    return new GlobalTimer({ timers, byNumber, act, delayMs: delayOf(ms), ends });
  };
  // Clients may pass the timer, its number, or something that never was a timer.
  const clear = (given: unknown): void => {
    if (given instanceof GlobalTimer) given.close();
    else byNumber.get(Number(given))?.close();
  };
  return {
    fetch,
    setTimeout: (callback: Callback, ms?: unknown, ...given: unknown[]) =>
      started("once", callback, ms, given),
    clearTimeout: clear,
    setInterval: (callback: Callback, ms?: unknown, ...given: unknown[]) =>
      started("when cleared", callback, ms, given),
    clearInterval: clear,
  };
}

/** At least a millisecond, as in Node and browsers. So time passes for a client that polls. */
function delayOf(ms: unknown): number {
  const delay = Math.trunc(Number(ms));
  return delay >= 1 && delay <= 0x7fff_ffff ? delay : 1;
}

type Ends = "once" | "when cleared";

interface TimerOptions {
  readonly timers: Timers;
  /** The timers that may still fire. */
  readonly byNumber: Map<number, GlobalTimer>;
  readonly act: () => void;
  readonly delayMs: number;
  readonly ends: Ends;
}

/** Has the methods of Node's timers, and converts to a number as a browser's timer is one. */
class GlobalTimer {
  readonly #options: TimerOptions;
  readonly #number: number;
  #next: Timer | undefined;
  #hasRef = true;
  static #made = 0;

  constructor(options: TimerOptions) {
    this.#options = options;
    GlobalTimer.#made += 1;
    this.#number = GlobalTimer.#made;
    this.refresh();
  }
  /** Starts over. */
  refresh(): this {
    const { timers, byNumber, act, delayMs, ends } = this.#options;
    timers.clearTimeout(this.#next);
    byNumber.set(this.#number, this);
    this.#next = timers.setTimeout(() => {
      if (ends === "once") this.close();
      else this.refresh();
      act();
    }, delayMs);
    if (!this.#hasRef) this.#next.unref();
    return this;
  }
  close(): void {
    const { timers, byNumber } = this.#options;
    timers.clearTimeout(this.#next);
    byNumber.delete(this.#number);
  }
  ref(): this {
    this.#hasRef = true;
    this.#next?.ref();
    return this;
  }
  unref(): this {
    this.#hasRef = false;
    this.#next?.unref();
    return this;
  }
  hasRef(): boolean {
    return this.#hasRef;
  }
  [Symbol.toPrimitive](): number {
    return this.#number;
  }
}

function timeoutSignal(timers: Timers, ms: number): AbortSignal {
  const controller = new AbortController();
  const timer = timers.setTimeout(() => {
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  }, ms);
  // As in Node: such a signal doesn't keep a process alive.
  timer.unref();
  return controller.signal;
}
