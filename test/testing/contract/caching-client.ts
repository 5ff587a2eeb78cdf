/** A patient client that keeps statistics for a while, with several ways to be right and to be wrong. */

import type { CreateDriver, Driver, DriverContext } from "../../../src/testing/driver/driver.ts";
import { patientClient } from "./patient-client.ts";

export type StatsQuery = Parameters<NonNullable<Driver["stats"]>>[0];

/** Each is one mistake, or another way to be right. */
export interface Caching {
  /** How long figures are kept, in milliseconds. @default 60000 */
  readonly lifetimeMs?: number;
  /** Whether the time counts from when figures were last returned. @default from when they came */
  readonly countsFromUse?: boolean;
  /** Which queries share their figures. @default only those that are the same */
  readonly key?: (query: StatsQuery, nowMs: number) => string;
  /** Whether an event that was recorded ends the life of all figures. @default false */
  readonly forgetsOnEvent?: boolean;
  /** Whether it asks in any case, and uses kept figures if that fails. @default it asks once kept figures are too old */
  readonly asksFirst?: boolean;
  /** What it returns if it can't get new figures and those that it has are too old. @default it rejects */
  readonly afterError?: (kept: unknown) => unknown;
  /** How old figures may be that it returns while it gets new ones, in milliseconds. @default it returns none */
  readonly returnsWhileAskingMs?: number;
  /** How often it asks by itself for figures that were used lately, in milliseconds. @default never */
  readonly refreshesEachMs?: number;
  /** What it makes of the figures. @default what the service answered */
  readonly figures?: (answer: Figures, ownImpressions: number) => unknown;
  /** What it promises. @default a minute */
  readonly staleMs?: number;
}

export interface Figures {
  readonly impressions: number;
}

interface Kept {
  readonly value: Promise<unknown>;
  readonly query: StatsQuery;
  fromMs: number;
  hasFailed: boolean;
}

export function cachingClient(caching: Caching = {}): CreateDriver<object> {
  return async (context) => {
    const client = await patientClient({ repeats: 1 })(context);
    const cache = new StatsCache(context, caching, async (query) => await client.stats?.(query));
    return {
      ...client,
      ...(caching.staleMs !== undefined && { staleMs: caching.staleMs }),
      async impression(shown) {
        const receipt = await client.impression(shown);
        cache.noteEvent();
        return receipt;
      },
      async click(receipt) {
        const done = await client.click?.(receipt);
        cache.noteEvent();
        return done;
      },
      stats: (query) => cache.stats(query),
      close: () => cache.close(),
    };
  };
}

class StatsCache {
  readonly #context: DriverContext;
  readonly #caching: Caching;
  readonly #ask: (query: StatsQuery) => Promise<unknown>;
  readonly #kept = new Map<string, Kept>();
  #ownEvents = 0;
  #isClosed = false;
  #usedMs = 0;

  constructor(
    context: DriverContext,
    caching: Caching,
    ask: (query: StatsQuery) => Promise<unknown>,
  ) {
    this.#context = context;
    this.#caching = caching;
    this.#ask = ask;
  }

  noteEvent(): void {
    this.#ownEvents += 1;
    if (this.#caching.forgetsOnEvent === true) this.#kept.clear();
  }

  close(): undefined {
    this.#isClosed = true;
  }

  async stats(query: StatsQuery): Promise<unknown> {
    const { lifetimeMs = 60_000, asksFirst, afterError, returnsWhileAskingMs = 0 } = this.#caching;
    this.#usedMs = this.#now();
    const key = this.#keyOf(query);
    const kept = this.#kept.get(key);
    const isYoung = (ageMs: number): boolean =>
      kept !== undefined && !kept.hasFailed && this.#now() - kept.fromMs <= ageMs;
    if (isYoung(lifetimeMs) && asksFirst !== true) {
      if (kept !== undefined && this.#caching.countsFromUse === true) kept.fromMs = this.#now();
      return await kept?.value;
    }
    const refreshed = this.#refresh(key, query);
    if (isYoung(returnsWhileAskingMs)) {
      refreshed.catch(() => {});
      return await kept?.value;
    }
    try {
      return await refreshed;
    } catch (error) {
      if (kept !== undefined) this.#kept.set(key, kept);
      if (asksFirst === true && isYoung(lifetimeMs)) return await kept?.value;
      if (afterError === undefined || kept?.hasFailed === true) throw error;
      return afterError(await kept?.value);
    }
  }

  #now(): number {
    return this.#context.timers.now();
  }

  #keyOf(query: StatsQuery): string {
    const { key = (one) => JSON.stringify([one.from, one.to, one.surface]) } = this.#caching;
    return key(query, this.#now());
  }

  async #refresh(key: string, query: StatsQuery): Promise<unknown> {
    const { figures = (answer) => answer } = this.#caching;
    const value = this.#ask(query).then((answer) => figures(answer as Figures, this.#ownEvents));
    const kept: Kept = { value, query, fromMs: this.#now(), hasFailed: false };
    const isNew = !this.#kept.has(key);
    this.#kept.set(key, kept);
    if (isNew) this.#refreshLater(key);
    try {
      await value;
      kept.fromMs = this.#now();
      return await value;
    } catch (error) {
      kept.hasFailed = true;
      throw error;
    }
  }

  #refreshLater(key: string): void {
    const { refreshesEachMs } = this.#caching;
    if (refreshesEachMs === undefined) return;
    const refresh = (): void => {
      const { query } = this.#kept.get(key) ?? {};
      if (this.#isClosed || query === undefined) return;
      if (this.#now() - this.#usedMs > 1_200_000) {
        this.#kept.delete(key);
        return;
      }
      this.#refresh(key, query).catch(() => {});
      this.#context.timers.setTimeout(refresh, refreshesEachMs);
    };
    this.#context.timers.setTimeout(refresh, refreshesEachMs);
  }
}
