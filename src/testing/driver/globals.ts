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
  const set =
    (ends: "once" | "when cleared") =>
    (callback: Callback, ms?: unknown, ...given: unknown[]): NodeTimer =>
      nodeTimer(timers, () => callback(...given), delayOf(ms), ends);
  // Clients may pass the timer, its number, or something that never was a timer.
  const clear = (given: unknown): void => {
    const timer = typeof given === "object" && given !== null ? given : byNumber.get(Number(given));
    if (timer !== undefined && "close" in timer) (timer as NodeTimer).close();
  };
  return {
    fetch,
    ...{ setTimeout: set("once"), clearTimeout: clear },
    ...{ setInterval: set("when cleared"), clearInterval: clear },
  };
}

/** At least a millisecond, as in Node and browsers. So time passes for a client that polls. */
function delayOf(ms: unknown): number {
  const delay = Math.trunc(Number(ms));
  return delay >= 1 && delay <= 0x7fff_ffff ? delay : 1;
}

/** Has the methods of Node's timers, and converts to a number as a browser's timer is one. */
interface NodeTimer extends Timer {
  /** Starts over. */
  refresh(): this;
  close(): void;
  [Symbol.toPrimitive](): number;
}

/** The timers that may still fire. */
const byNumber = new Map<number, NodeTimer>();
let made = 0;

function nodeTimer(
  timers: Timers,
  act: () => void,
  delayMs: number,
  ends: "once" | "when cleared",
): NodeTimer {
  made += 1;
  const number = made;
  let next: Timer | undefined;
  let isRef = true;
  const fire = (): void => {
    if (ends === "once") timer.close();
    else timer.refresh();
    act();
  };
  const timer: NodeTimer = {
    refresh() {
      timers.clearTimeout(next);
      byNumber.set(number, timer);
      next = timers.setTimeout(fire, delayMs);
      return isRef ? timer : timer.unref();
    },
    close() {
      timers.clearTimeout(next);
      byNumber.delete(number);
    },
    ref() {
      isRef = true;
      next?.ref();
      return timer;
    },
    unref() {
      isRef = false;
      next?.unref();
      return timer;
    },
    hasRef: () => isRef,
    [Symbol.toPrimitive]: () => number,
  };
  return timer.refresh();
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
