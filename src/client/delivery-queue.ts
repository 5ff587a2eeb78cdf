/**
 * Gets calls through: a few at a time, repeated after growing, jittered pauses where that is safe and makes sense. It
 * doesn't know what it delivers.
 */

import { after, type Clock } from "./platform.ts";
import type { ApiError, Result } from "./result.ts";

/** How long a client keeps trying. Times are in milliseconds. */
export interface Retry {
  /** How often a request is sent at most. @default 10 */
  readonly attempts: number;
  /** The first pause; each is twice as long as the one before, of which a random half is taken off. @default 1000 */
  readonly firstPauseMs: number;
  /** @default 60000 */
  readonly longestPauseMs: number;
  /**
   * Nothing is repeated later than this after it was queued. At most 25 minutes: services may tell a repeated impression
   * from a new one for no more than half an hour.
   *
   * @default 1200000
   */
  readonly giveUpAfterMs: number;
}

/** A call that may be made again. */
export interface RepeatableCall<Value> {
  readonly call: (signal: AbortSignal) => Promise<Result<Value>>;
  /** Whether it may be made again although it may have been applied: the service can tell the two. */
  readonly isRepeatable: boolean;
  /**
   * How often fetch may fail without a reason before it is given up. To a page, a service that doesn't let it in (CORS) looks
   * as one that can't be reached. @default any number of times
   */
  readonly maxSilentFailures?: number;
}

export type DeliveryResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      /** Of the last attempt; undefined where there was none before the end. */
      readonly error: ApiError | undefined;
      /** Whether any attempt may have been applied. */
      readonly mayHaveApplied: boolean;
      /** Whether one before the last may have been. */
      readonly mayHaveAppliedBefore: boolean;
    };

export interface DeliveryQueue {
  deliver<Value>(delivery: RepeatableCall<Value>): Promise<DeliveryResult<Value>>;
  /** Ends what is under way, and all waits. Nothing is sent afterwards. */
  stop(): void;
}

export interface DeliveryQueueOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly retry: Retry;
  /** How many calls are made at once, those that wait for their repetition included. */
  readonly concurrency: number;
}

/** Timers may come so much too early. */
const EARLY_MS = 1;

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { clock, random, retry, concurrency } = options;
  const waiting: (() => void)[] = [];
  let free = concurrency;
  const calls = new AbortController();
  const waits = new AbortController();
  /** Nothing is sent before: who asks to be left alone means all of it. */
  let pausedUntilMs = 0;
  /** What said so. */
  let pausedBy: ApiError | undefined;
  /** The refusal of the key, after which every request would be refused. */
  let keyRefusal: ApiError | undefined;
  /** The latest time there was. A clock may be set back: nothing is to wait until it is there again. */
  let latestNowMs = 0;

  async function deliver<Value>(delivery: RepeatableCall<Value>): Promise<DeliveryResult<Value>> {
    const giveUpAtMs = now() + retry.giveUpAfterMs;
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await attempt(delivery, giveUpAtMs);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  }

  async function attempt<Value>(
    { call, isRepeatable, maxSilentFailures = 1 / 0 }: RepeatableCall<Value>,
    giveUpAtMs: number,
  ): Promise<DeliveryResult<Value>> {
    let mayHaveApplied = false;
    let mayHaveAppliedBefore = false;
    let error: ApiError | undefined;
    let notBeforeMs = 0;
    let pauseMs = retry.firstPauseMs;
    for (let left = retry.attempts; left > 0; left -= 1) {
      const isTime = await until(() => Math.max(notBeforeMs, pausedUntilMs), giveUpAtMs);
      error = keyRefusal ?? error ?? (isTime ? undefined : pausedBy);
      // The machine may have slept meanwhile: too late for what the service may have forgotten.
      const isLate = mayHaveApplied && now() > giveUpAtMs;
      if (!isTime || isLate || keyRefusal !== undefined || calls.signal.aborted) break;
      const result = await call(calls.signal);
      if (result.ok) return result;
      error = result.error;
      mayHaveAppliedBefore = mayHaveApplied;
      mayHaveApplied ||= error.mayHaveApplied;
      if (error.status === 401) {
        keyRefusal = error;
        waits.abort();
      }
      // All else may go better another time.
      if (error.kind === "refused" || error.kind === "aborted") break;
      if (error.kind === "unreachable" && !Object(error.cause).cause && --maxSilentFailures < 1)
        break;
      notBeforeMs = now() + waitAfter(error, pauseMs);
      pauseMs = Math.min(2 * pauseMs, retry.longestPauseMs);
      const isForAll = error.kind === "limited" || error.retryAfterMs !== undefined;
      if (isForAll && notBeforeMs > pausedUntilMs) {
        pausedUntilMs = notBeforeMs;
        pausedBy = error;
      }
      if (mayHaveApplied && !isRepeatable) break;
    }
    return { ok: false, error, mayHaveApplied, mayHaveAppliedBefore };
  }

  /** Never earlier than the service asks for, and never at a time that other clients share. */
  function waitAfter({ retryAfterMs }: ApiError, pauseMs: number): number {
    const ownMs = pauseMs * (0.5 + 0.5 * random());
    if (retryAfterMs === undefined) return ownMs;
    return Math.max(ownMs, retryAfterMs + retry.firstPauseMs * random());
  }

  /** @returns false, without waiting, where it is later than `latestMs`. Ends early where waits are ended. */
  async function until(time: () => number, latestMs: number): Promise<boolean> {
    // It may be put off meanwhile.
    for (let atMs = time(); atMs > now() && !waits.signal.aborted; atMs = time()) {
      if (atMs > latestMs) return false;
      await pause(clock, atMs - now() + EARLY_MS, waits.signal);
      latestNowMs = Math.max(latestNowMs, atMs);
    }
    return true;
  }

  function now(): number {
    latestNowMs = Math.max(latestNowMs, clock.now());
    return latestNowMs;
  }

  return {
    deliver,
    stop() {
      calls.abort();
      waits.abort();
    },
  };
}

/** Ends early where the signal is aborted, and leaves no timer behind. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = after(clock, ms, end);
    signal.addEventListener("abort", end);
  });
}
