/**
 * Replaces the global fetch, clock, timers and randomness by the world's, and the machine's time zone, for a client that uses the
 * globals. Only one world at a time can do that.
 */

import { InputError } from "../../base/input.ts";
import { deriveKey, drawsFrom } from "../../base/random.ts";
import type { Timers } from "../time/time.ts";

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
  const { random, ...ofCrypto } = seededRandom(seed);
  const undo = [
    ...replace(globalThis, { fetch, Date: NewDate, ...globalTimers(timers) }),
    ...replace(RealDate.prototype, { constructor: NewDate }),
    ...replace(performance, { now: () => timers.now() - startedAtMs }),
    ...replace(AbortSignal, { timeout: (ms: number) => timeoutSignal(timers, ms) }),
    ...replace(Math, { random }),
    ...replace(globalThis.crypto ?? {}, ofCrypto),
  ];
  return () => {
    // Only once: later the globals may be another world's.
    if (undo.length === 0) return;
    for (const one of undo.splice(0)) one();
    restoreZone();
    isTaken = false;
  };
}

function replace(target: object, members: Readonly<Record<string, unknown>>): (() => void)[] {
  return Object.entries(members).map(([name, value]) => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    return () => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    };
  });
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

function globalTimers({ setTimeout, clearTimeout }: Timers) {
  return {
    setTimeout: (callback: Callback, ms?: unknown, ...given: unknown[]) =>
      setTimeout(() => callback(...given), delayOf(ms)),
    setInterval(callback: Callback, ms?: unknown, ...given: unknown[]) {
      const tick = (): void => {
        timer.refresh();
        callback(...given);
      };
      const timer = setTimeout(tick, delayOf(ms));
      return timer;
    },
    clearTimeout,
    clearInterval: clearTimeout,
  };
}

/** At least a millisecond, as in Node and browsers. So time passes for a client that polls. */
function delayOf(ms: unknown): number {
  const delay = Math.trunc(Number(ms));
  return delay >= 1 && delay <= 0x7fff_ffff ? delay : 1;
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

function seededRandom(seed: string) {
  const draw = drawsFrom(deriveKey(seed, "globals"));
  function getRandomValues<View extends ArrayBufferView>(view: View): View {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    bytes.set(bytes.map(() => draw(256)));
    return view;
  }
  return {
    // 53 bits, as many as the machine's.
    random: () =>
      (draw(0x400_0000) * 0x800_0000 + draw(0x800_0000)) / (Number.MAX_SAFE_INTEGER + 1),
    getRandomValues,
    randomUUID: () => uuidOf(getRandomValues(new Uint8Array(16))),
  };
}

/** Of version 4 (RFC 9562 §5.4). */
function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = (8 + ((bytes[8] ?? 0) & 3)).toString(16);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
}

/**
 * Sets TZ to the name of a time zone, such as "Asia/Kolkata".
 *
 * @returns a function that sets it back.
 * @throws InputError if it isn't a time zone, or TZ has no effect: in worker threads, in Jest, and in browsers.
 */
function setTimeZone(timeZone: string): () => void {
  const wanted = canonicalName(timeZone);
  const environment = globalThis.process?.env ?? {};
  const { TZ: before } = environment;
  const restore = (): void => {
    if (before === undefined) delete environment.TZ;
    else environment.TZ = before;
  };
  environment.TZ = timeZone;
  if (Intl.DateTimeFormat().resolvedOptions().timeZone === wanted) return restore;
  restore();
  throw new InputError(
    "timeZone",
    "can't be set here: the variable TZ has no effect in worker threads, in Jest and in browsers. In vitest's default pool it has",
  );
}

/** Whether clients can be tried in other time zones than the machine's. */
export function canSetTimeZone(): boolean {
  try {
    setTimeZone("Asia/Kolkata")();
    setTimeZone("America/Los_Angeles")();
    return true;
  } catch {
    return false;
  }
}

/** The name by which `Intl` calls the zone. */
function canonicalName(timeZone: string): string {
  try {
    return Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    throw new InputError("timeZone", 'must be the name of a time zone, such as "Asia/Kolkata"');
  }
}
