/**
 * A second implementation of the three ways to read “per minute” (spec §8), for the oracle. It shares no code with
 * the service's limiter, so that a bug there isn't repeated here.
 */

import type { Choices } from "./choices.ts";

export type Algorithm = Choices["limit.algorithm"];

/** Counts what a quota has left. Requests must come in order. */
interface Counter {
  /** How many more are admitted. */
  room(atMs: number): number;
  spend(atMs: number): void;
}

const MINUTE_MS = 60_000;

/** `size`: how many are admitted in a minute. */
export const counters: Readonly<Record<Algorithm, (size: number) => Counter>> = {
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
};

function fixedWindow(size: number): Counter {
  let window = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    room: (atMs) => (Math.floor(atMs / MINUTE_MS) === window ? size - used : size),
    spend(atMs) {
      const current = Math.floor(atMs / MINUTE_MS);
      used = current === window ? used + 1 : 1;
      window = current;
    },
  };
}

function slidingLog(size: number): Counter {
  const spent: number[] = [];
  let oldest = 0;
  return {
    room(atMs) {
      while ((spent[oldest] ?? atMs) <= atMs - MINUTE_MS) oldest += 1;
      return size - (spent.length - oldest);
    },
    spend: (atMs) => spent.push(atMs),
  };
}

/** The bucket holds a minute's worth of time, and each request takes the time that one token needs to refill. */
function tokenBucket(size: number): Counter {
  const tokenMs = MINUTE_MS / size;
  let level = MINUTE_MS;
  let since = Number.NEGATIVE_INFINITY;
  const levelAt = (atMs: number): number => Math.min(MINUTE_MS, level + (atMs - since));
  return {
    room: (atMs) => Math.floor(levelAt(atMs) / tokenMs),
    spend(atMs) {
      level = levelAt(atMs) - tokenMs;
      since = atMs;
    },
  };
}

/** How many more of `size` a minute are admitted at an instant, after the admitted ones, which are in order. */
export function roomAfter(
  algorithm: Algorithm,
  admitted: readonly number[],
  size: number,
  atMs: number,
): number {
  const counter = counters[algorithm](size);
  for (const instant of admitted) counter.spend(instant);
  return counter.room(atMs);
}

/** The shortest wait in whole ms after which a request is admitted, if no others come. */
export function waitFor(
  algorithm: Algorithm,
  admitted: readonly number[],
  size: number,
  atMs: number,
): number {
  // An admitted request counts for at most two minutes.
  let [low, high] = [0, 2 * MINUTE_MS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (roomAfter(algorithm, admitted, size, atMs + middle) >= 1) high = middle;
    else low = middle + 1;
  }
  return low;
}
