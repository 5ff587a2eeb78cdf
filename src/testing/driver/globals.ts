/**
 * Puts the world's fetch, clock and timers in the place of the machine's, for a client that takes them from nowhere else.
 * Only one world at a time can have that.
 */

import type { Timer, Timers } from "../time/time.ts";

let isTaken = false;

/**
 * From now until it is undone `fetch`, `Date`, `performance.now`, `setTimeout`, `setInterval` and their likes, and
 * `AbortSignal.timeout` are the world's.
 *
 * @throws Error where another world has them.
 * @returns what undoes it.
 */
export function replaceGlobals(timers: Timers, fetch: typeof globalThis.fetch): () => void {
  if (isTaken) {
    throw new Error(
      "Another test of this process has replaced the globals: run such tests one after the other.",
    );
  }
  isTaken = true;
  const undo = Object.entries(globalsOf(timers, fetch)).map(([name, value]) =>
    replace(globalThis, name, value),
  );
  undo.push(replace(performance, "now", () => timers.now() - startedAt));
  undo.push(replace(AbortSignal, "timeout", (ms: number) => timeoutSignal(timers, ms)));
  const startedAt = timers.now();
  return () => {
    for (const one of undo) one();
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

type Callback = (...given: unknown[]) => void;

function globalsOf(timers: Timers, fetch: typeof globalThis.fetch): Record<string, unknown> {
  const intervals = new WeakMap<Timer, { next: Timer }>();
  const clear = (timer: Timer | undefined): void => {
    const repeated = timer === undefined ? undefined : intervals.get(timer);
    timers.clearTimeout(repeated?.next ?? timer);
  };
  return {
    fetch,
    Date: dateOf(timers),
    setTimeout: (callback: Callback, ms?: number, ...given: unknown[]) =>
      timers.setTimeout(() => callback(...given), ms),
    clearTimeout: clear,
    setInterval(callback: Callback, ms?: number, ...given: unknown[]) {
      const tick = (): void => {
        repeated.next = timers.setTimeout(tick, ms);
        callback(...given);
      };
      const first = timers.setTimeout(tick, ms);
      const repeated = { next: first };
      intervals.set(first, repeated);
      return first;
    },
    clearInterval: clear,
  };
}

function dateOf({ now }: Timers): DateConstructor {
  return new Proxy(Date, {
    construct: (real, given, made) =>
      Reflect.construct(real, given.length > 0 ? given : [now()], made),
    apply: (real) => new real(now()).toString(),
    get: (real, name) => (name === "now" ? now : Reflect.get(real, name)),
  });
}

function timeoutSignal(timers: Timers, ms: number): AbortSignal {
  const controller = new AbortController();
  timers.setTimeout(() => {
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  }, ms);
  return controller.signal;
}
