/**
 * Replaces the global fetch, clock, timers and randomness by the world's, for a client that uses the globals. Only one
 * world at a time can do that.
 */

import type { Timer, Timers } from "../time/time.ts";
import { type Replacements, seededRandom } from "./seeded-random.ts";
import { setTimeZone } from "./time-zone.ts";

/** Read before a world can replace it. */
const RealDate = Date;

let isTaken = false;

/**
 * Replaces `fetch`, `Date`, `performance.now`, `AbortSignal.timeout`, `setTimeout`, `setInterval` and the functions
 * that clear them, `Math.random`, `crypto.getRandomValues` and `crypto.randomUUID`.
 *
 * @param seed Decides what the random functions return.
 * @param timeZone What the machine's time zone is meanwhile. @default as it is
 * @throws Error if another world has replaced them; InputError if the time zone can't be set.
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
  const restoreZone = timeZone === undefined ? () => {} : setTimeZone(timeZone);
  isTaken = true;
  const NewDate = dateAt(timers.now);
  const startedAtMs = timers.now();
  const replacements: Replacements = [
    [globalThis, { ...globalsOf(timers, fetch), Date: NewDate }],
    [RealDate.prototype, { constructor: NewDate }],
    [performance, { now: () => timers.now() - startedAtMs }],
    [AbortSignal, { timeout: (ms: number) => timeoutSignal(timers, ms) }],
    ...seededRandom(seed),
  ];
  const undo = replacements.flatMap(([target, members]) =>
    Object.entries(members).map(([name, value]) => replace(target, name, value)),
  );
  return () => {
    // Only once: later the globals may be another world's.
    const all = undo.splice(0);
    for (const one of all) one();
    if (all.length === 0) return;
    restoreZone();
    isTaken = false;
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

/** `Date` with another clock. */
function dateAt(now: () => number): DateConstructor {
  return new Proxy(RealDate, {
    construct: (real, given, made) =>
      Reflect.construct(real, given.length === 0 ? [now()] : given, made),
    apply: (real) => new real(now()).toString(),
    get: (real, name) => (name === "now" ? now : Reflect.get(real, name)),
  });
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
