/**
 * The five ways to read "per minute" (spec §8), each worked out anew from the plain list of the instants at which
 * requests were admitted. How long to wait isn't worked out but searched for: later there is never less room.
 */

import type { Readings } from "./readings.ts";

export const MINUTE_MS = 60_000;

/** How many more of `size` a minute are admitted at an instant, when those before were all that came. In order. */
export type Room = (admitted: readonly number[], size: number, atMs: number) => number;

export const rooms: Readonly<Record<Readings["limit.algorithm"], Room>> = {
  "fixed-window": (admitted, size, atMs) => size - inMinute(admitted, minuteOf(atMs)),

  "fixed-from-first"(admitted, size, atMs) {
    let begin = Number.NEGATIVE_INFINITY;
    let used = 0;
    for (const instant of admitted) {
      if (instant >= begin + MINUTE_MS) {
        begin = instant;
        used = 0;
      }
      used += 1;
    }
    return atMs < begin + MINUTE_MS ? size - used : size;
  },

  "sliding-log": (admitted, size, atMs) =>
    size - admitted.filter((instant) => instant > atMs - MINUTE_MS).length,

  "sliding-counter"(admitted, size, atMs) {
    const minute = minuteOf(atMs);
    const restMs = MINUTE_MS - (atMs - minute * MINUTE_MS);
    const weighed = Math.floor((inMinute(admitted, minute - 1) * restMs) / MINUTE_MS);
    return Math.max(0, size - inMinute(admitted, minute) - weighed);
  },

  // A bucket that holds a minute's worth of time; a request takes out the time that one token takes to come.
  "token-bucket"(admitted, size, atMs) {
    const tokenMs = MINUTE_MS / size;
    let level = MINUTE_MS;
    let before = Number.NEGATIVE_INFINITY;
    for (const instant of admitted) {
      level = Math.min(MINUTE_MS, level + (instant - before)) - tokenMs;
      before = instant;
    }
    return Math.floor(Math.min(MINUTE_MS, level + (atMs - before)) / tokenMs);
  },
};

/** The least whole wait in ms after which there is room for `wanted`, if nothing else comes. */
export function waitFor(
  room: Room,
  admitted: readonly number[],
  size: number,
  atMs: number,
  wanted: number,
): number {
  // Whatever was admitted weighs for two minutes at most.
  let [low, high] = [0, 2 * MINUTE_MS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (room(admitted, size, atMs + middle) >= wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}

function minuteOf(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS);
}

function inMinute(admitted: readonly number[], minute: number): number {
  return admitted.filter((instant) => minuteOf(instant) === minute).length;
}
