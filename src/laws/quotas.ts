/**
 * The five ways to read “per minute” (spec §8), worked out a second time from the instants at which requests came: an
 * arithmetic of its own, so that a mistake of the service's limiter isn't made here too. Laws and oracle count with it.
 */

import type { Choice } from "../spec/assumptions/catalogue.ts";

export type Algorithm = Choice<"limit.algorithm">;

/** A request that a quota was asked for, and what its answer said. */
export interface QuotaRequest {
  readonly atMs: number;
  /**
   * `limited`: refused by the limit. `spent`: admitted, and counted. `free`: admitted, refused for another reason, and its
   * quota given back. `unclear`: refused by the limit, or for another reason.
   */
  readonly came: "limited" | "spent" | "free" | "unclear";
  /** How an unclear one would have been counted. */
  readonly otherwise: "spent" | "free";
  readonly remaining: string | undefined;
  /** Asked only of one that disagrees. */
  what(): string;
}

/** What disagrees with the limit; undefined where nothing does. */
export interface QuotaFindings {
  /** A request that was admitted or refused and shouldn't have been. */
  readonly decision: string | undefined;
  /** An X-RateLimit-Remaining that is another than it should be. */
  readonly remaining: string | undefined;
  readonly limited: number;
}

/** What a quota has left, when requests come in order. */
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
  for (const { atMs, came, otherwise, remaining, what } of arrivals) {
    const room = Math.max(0, counter.room(atMs));
    const unclear = room === 0 ? "limited" : otherwise;
    const knownCharge = came === "unclear" ? unclear : came;
    const isLimited = knownCharge === "limited";
    if (isLimited !== (room === 0)) {
      const due = room === 0 ? "none was left" : `${room} of ${size} were left`;
      decision ??= `${what()}, but ${due}`;
      // From here on the two count differently.
      break;
    }
    if (isLimited) limited += 1;
    if (knownCharge === "spent") counter.spend(atMs);
    const left = Math.max(0, counter.room(atMs));
    if (remaining !== String(left)) {
      wrongRemaining ??= `${what()} with X-RateLimit-Remaining ${remaining}, but ${left} of ${size} were left`;
    }
  }
  return { decision, remaining: wrongRemaining, limited };
}

/** How many more of `size` a minute are admitted at an instant, when those before were all that came, in order. */
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
  "fixed-window": (size, windowMs) => windowed(size, (_, atMs) => atMs - (atMs % windowMs)),
  "fixed-from-first": (size, windowMs) =>
    windowed(size, (begin, atMs) => (atMs < begin + windowMs ? begin : atMs)),
  "sliding-log": slidingLog,
  "sliding-counter": slidingCounter,
  "token-bucket": tokenBucket,
};

/** `beginAt`: when the window begins that an instant is in, after one that began at `begin`. */
function windowed(size: number, beginAt: (begin: number, atMs: number) => number): Counter {
  let begin = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    room: (atMs) => (beginAt(begin, atMs) === begin ? size - used : size),
    spend(atMs) {
      const current = beginAt(begin, atMs);
      used = current === begin ? used + 1 : 1;
      begin = current;
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

function slidingCounter(size: number, windowMs: number): Counter {
  let window = Number.NEGATIVE_INFINITY;
  let current = 0;
  let before = 0;
  const advanceWindowTo = (atMs: number): void => {
    const now = Math.floor(atMs / windowMs);
    if (now === window) return;
    before = now === window + 1 ? current : 0;
    current = 0;
    window = now;
  };
  return {
    room(atMs) {
      advanceWindowTo(atMs);
      const restMs = windowMs - (atMs % windowMs);
      return Math.max(0, size - current - Math.floor((before * restMs) / windowMs));
    },
    spend(atMs) {
      advanceWindowTo(atMs);
      current += 1;
    },
  };
}

/** Holds a window's worth of time; a request takes out as much as it takes a token to come. */
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
