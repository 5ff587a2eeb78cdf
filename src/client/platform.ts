/** The fetch, clock, randomness and page of the machine. No other file of the client uses them, so tests can replace them. */

/** Times are in milliseconds; `now` counts from 1970. */
export interface Clock {
  now(): number;
  /** @returns a timer for `clearTimeout`. */
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

// The globals are looked up at each call: a browser's functions need their own `this`, and tests replace globals.

export const platformFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, init);
export const platformRandom = (): number => Math.random();
export const platformClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (timer) => globalThis.clearTimeout(timer as number | undefined),
};

/** The longest delay of a timer. With a longer one it fires at once, in Node and in browsers. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls back after the delay. @returns a function that cancels the call. */
export function after(clock: Clock, delayMs: number, callback: () => void): () => void {
  const timer = clock.setTimeout(callback, delayMs);
  return () => clock.clearTimeout(timer);
}

/** Calls back when the page is left. Elsewhere it never does. @returns a function that ends that. */
export function onLeave(callback: () => void): () => void {
  const page: Partial<EventTarget> = globalThis;
  page.addEventListener?.("pagehide", callback);
  return () => page.removeEventListener?.("pagehide", callback);
}
