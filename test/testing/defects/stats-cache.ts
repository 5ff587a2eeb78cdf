/** Statistics that the queueing client has asked for, to be used again for a short time. */

import type { StatsQuery } from "./wire.ts";

interface Figures {
  readonly value: unknown;
  readonly askedAtMs: number;
  readonly version: number;
}

export const STALE_MS = 30_000;
const IST_MS = 5.5 * 3_600_000;
const DAY_MS = 86_400_000;

export class StatsCache {
  readonly #figures = new Map<string, Figures>();
  /** Counts the events that may have changed the figures. */
  #version = 0;

  get version(): number {
    return this.#version;
  }

  /** Figures from before this are no longer true. */
  drop(): void {
    this.#version += 1;
    this.#figures.clear();
  }

  /** Unless `version`, from when the figures were asked for, is no longer the same. */
  keep(query: StatsQuery, figures: Figures): void {
    if (figures.version === this.#version) this.#figures.set(keyOf(query), figures);
  }

  /** The value, if it is young and of today. */
  find(query: StatsQuery, nowMs: number): unknown {
    const found = this.#figures.get(keyOf(query));
    if (found === undefined) return undefined;
    const isYoung = nowMs - found.askedAtMs < STALE_MS;
    return isYoung && isSameDay(found.askedAtMs, nowMs) ? found.value : undefined;
  }
}

function keyOf({ from, to, surface }: StatsQuery): string {
  return JSON.stringify([from ?? null, to ?? null, surface ?? null]);
}

/** The spec doesn't say whose midnight ends a day: UTC's or India's. */
function isSameDay(oneMs: number, otherMs: number): boolean {
  const dayOf = (ms: number, offsetMs: number): number => Math.floor((ms + offsetMs) / DAY_MS);
  return [0, IST_MS].every((offsetMs) => dayOf(oneMs, offsetMs) === dayOf(otherMs, offsetMs));
}
