/**
 * A second implementation of the three ways to read “per minute” (spec §8), for the oracle. It shares no code with
 * the service's limiter, so that a bug there isn't repeated here.
 */

import type { Choice } from "../../src/spec/assumptions/catalogue.ts";

export type Algorithm = Choice<"limit.algorithm">;

/** A request that counts against a quota, and what its answer said. */
export interface QuotaRequest {
  readonly atMs: number;
  /** `limited`: refused by the limit. `spent`: admitted, and counted. */
  readonly charge: "limited" | "spent";
  readonly remaining: string | undefined;
  /** Describes the request. Called only if it disagrees. */
  what(): string;
}

/** What disagrees with the limit; undefined if nothing does. */
export interface QuotaFindings {
  /** The first request that was wrongly admitted or refused. */
  readonly decision: string | undefined;
  /** The first wrong X-RateLimit-Remaining. */
  readonly remaining: string | undefined;
  readonly limited: number;
}

/** Counts what a quota has left. Requests must come in order. */
export interface Counter {
  /** How many more are admitted. */
  room(atMs: number): number;
  spend(atMs: number): void;
}

export const MINUTE_MS = 60_000;

export function judgeArrivals(
  arrivals: readonly QuotaRequest[],
  size: number,
  algorithm: Algorithm,
): QuotaFindings {
  const counter = counterOf(algorithm, size);
  let decision: string | undefined;
  let wrongRemaining: string | undefined;
  let limited = 0;
  for (const { atMs, charge, remaining, what } of arrivals) {
    const room = Math.max(0, counter.room(atMs));
    const isLimited = charge === "limited";
    if (isLimited !== (room === 0)) {
      const due = room === 0 ? "none was left" : `${room} of ${size} were left`;
      decision ??= `${what()}, but ${due}`;
      // The two counts differ from here on.
      break;
    }
    if (isLimited) limited += 1;
    else counter.spend(atMs);
    const left = Math.max(0, counter.room(atMs));
    if (remaining !== String(left)) {
      wrongRemaining ??= `${what()} with X-RateLimit-Remaining ${remaining}, but ${left} of ${size} were left`;
    }
  }
  return { decision, remaining: wrongRemaining, limited };
}

/** How many more of `size` a minute are admitted at an instant, after the admitted ones, which are in order. */
export function roomAfter(
  algorithm: Algorithm,
  admitted: readonly number[],
  size: number,
  atMs: number,
): number {
  const counter = counterOf(algorithm, size);
  for (const instant of admitted) counter.spend(instant);
  return counter.room(atMs);
}

/** `size`: how many are admitted in `windowMs`. */
export function counterOf(
  algorithm: Algorithm,
  size: number,
  windowMs: number = MINUTE_MS,
): Counter {
  return counters[algorithm](size, windowMs);
}

const counters: Readonly<Record<Algorithm, (size: number, windowMs: number) => Counter>> = {
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
};

function fixedWindow(size: number, windowMs: number): Counter {
  let window = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    room: (atMs) => (Math.floor(atMs / windowMs) === window ? size - used : size),
    spend(atMs) {
      const current = Math.floor(atMs / windowMs);
      used = current === window ? used + 1 : 1;
      window = current;
    },
  };
}

function slidingLog(size: number, windowMs: number): Counter {
  const spent: number[] = [];
  let oldest = 0;
  return {
    room(atMs) {
      while ((spent[oldest] ?? atMs) <= atMs - windowMs) oldest += 1;
      return size - (spent.length - oldest);
    },
    spend: (atMs) => spent.push(atMs),
  };
}

/** The bucket holds a window's worth of time, and each request takes the time that one token needs to refill. */
function tokenBucket(size: number, windowMs: number): Counter {
  const tokenMs = windowMs / size;
  let level = windowMs;
  let since = Number.NEGATIVE_INFINITY;
  const levelAt = (atMs: number): number => Math.min(windowMs, level + (atMs - since));
  return {
    room: (atMs) => Math.floor(levelAt(atMs) / tokenMs),
    spend(atMs) {
      level = levelAt(atMs) - tokenMs;
      since = atMs;
    },
  };
}
