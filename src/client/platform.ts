/** The machine's own fetch, clock and randomness. Nothing else of the client names them, so that tests can replace all. */

/** What waits are made of. Times are in milliseconds; `now` counts them since 1970. */
export interface Clock {
  now(): number;
  /** @returns what `clearTimeout` takes. */
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface Platform {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** Looked up at each call: a browser's functions want their own `this`, and tests replace globals. */
export const platform: Platform = {
  fetch: (input, init) => globalThis.fetch(input, init),
  clock: {
    now: () => Date.now(),
    setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
    clearTimeout: (timer) => globalThis.clearTimeout(timer as number | undefined),
  },
  random: () => Math.random(),
};

/** The longest wait of a timer: one that is longer ends at once, in Node and in browsers. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls back once the time is over. @returns what prevents it. */
export function after(clock: Clock, delayMs: number, callback: () => void): () => void {
  const timer = clock.setTimeout(callback, delayMs);
  return () => clock.clearTimeout(timer);
}
