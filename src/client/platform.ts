/** The machine's fetch, clock and randomness. No other file of the client uses them, so tests can replace them all. */

/** Times are in milliseconds; `now` counts from 1970. */
export interface Clock {
  now(): number;
  /** @returns a timer for `clearTimeout`. */
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface Platform {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
}

/** Looks up the globals at each call: a browser's functions need their own `this`, and tests replace globals. */
export const platform: Platform = {
  fetch: (input, init) => globalThis.fetch(input, init),
  clock: {
    now: () => Date.now(),
    setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
    clearTimeout: (timer) => globalThis.clearTimeout(timer as number | undefined),
  },
  random: () => Math.random(),
};

/** The longest delay of a timer. With a longer one it fires at once, in Node and in browsers. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls back after the delay. @returns a function that cancels the call. */
export function after(clock: Clock, delayMs: number, callback: () => void): () => void {
  const timer = clock.setTimeout(callback, delayMs);
  return () => clock.clearTimeout(timer);
}
