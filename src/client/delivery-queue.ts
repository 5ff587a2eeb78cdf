/**
 * Delivers calls: a few at a time, with retries after growing, jittered pauses if a retry is safe and useful. It doesn't
 * know what it delivers.
 */

import { after, type Clock } from "./platform.ts";
import type { ApiError, Result } from "./result.ts";

/** How long a client keeps trying. Times are in milliseconds. */
export interface Retry {
  /** How often a request is sent at most, including the first time. @default 10 */
  readonly attempts: number;
  /** The first pause. Each pause is twice as long as the last; up to half of it, at random, is cut. @default 1000 */
  readonly firstPauseMs: number;
  /** @default 60000 */
  readonly longestPauseMs: number;
  /**
   * No retry starts later than this after the call was queued. At most 25 minutes: a service may take an impression
   * repeated after half an hour for a new one.
   *
   * @default 1200000
   */
  readonly giveUpAfterMs: number;
}

export interface RepeatableCall<Value> {
  readonly call: (signal: AbortSignal) => Promise<Result<Value>>;
  /** Whether a retry is safe after the call may have been applied, because the service recognises the repetition. */
  readonly isRepeatable: boolean;
  /**
   * How often fetch may fail without a reason before the call is given up. In a browser, a service that forbids the page
   * (CORS) looks like one that can't be reached. @default no limit
   */
  readonly maxSilentFailures?: number;
}

export type DeliveryResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      /** The error of the last attempt; undefined if there was no attempt. */
      readonly error: ApiError | undefined;
      /** Whether any attempt may have been applied. */
      readonly mayHaveApplied: boolean;
      /** Whether an attempt before the last may have been applied. */
      readonly mayHaveAppliedBefore: boolean;
    };

export interface DeliveryQueue {
  deliver<Value>(delivery: RepeatableCall<Value>): Promise<DeliveryResult<Value>>;
  /**
   * Sends at once what waits for a free place or for its next attempt, because later may be too late. A pause that the service
   * asked for is kept.
   */
  hurry(): void;
  /** Ends all calls and all waits. Nothing is sent afterwards. */
  stop(): void;
}

export interface DeliveryQueueOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly retry: Retry;
  /** How many calls may be under way, including those that wait for a retry. */
  readonly concurrency: number;
}

/** A timer may fire this much too early. */
const EARLY_MS = 1;

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { clock, random, retry, concurrency } = options;
  const waiting: (() => void)[] = [];
  let free = concurrency;
  const calls = new AbortController();
  /** Each ends a wait that is under way. */
  const wakes = new Set<() => void>();
  let hurries = 0;
  /** No call is sent before this time: a service that asks for a pause means all calls. */
  let pausedUntilMs = 0;
  /** The error that asked for the pause. */
  let pausedBy: ApiError | undefined;
  /** Set after the service rejected the key: it would reject every other request as well. */
  let keyRefusal: ApiError | undefined;
  /** The latest time seen. If the clock is set back, calls don't wait until it has caught up. */
  let latestNowMs = 0;

  async function deliver<Value>(delivery: RepeatableCall<Value>): Promise<DeliveryResult<Value>> {
    const giveUpAtMs = now() + retry.giveUpAfterMs;
    if (free <= 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await attempt(delivery, giveUpAtMs);
    } finally {
      // After `hurry` more calls than usual are under way: the next one then waits for several to end.
      free += 1;
      if (free > 0) letIn(1);
    }
  }

  function letIn(count: number): void {
    const next = waiting.splice(0, count);
    free -= next.length;
    for (const start of next) start();
  }

  async function attempt<Value>(
    { call, isRepeatable, maxSilentFailures = 1 / 0 }: RepeatableCall<Value>,
    giveUpAtMs: number,
  ): Promise<DeliveryResult<Value>> {
    let mayHaveApplied = false;
    let mayHaveAppliedBefore = false;
    let error: ApiError | undefined;
    let notBeforeMs = 0;
    let hurriesBefore = hurries;
    let pauseMs = retry.firstPauseMs;
    for (let left = retry.attempts; left > 0; left -= 1) {
      const ownMs = (): number => (hurries === hurriesBefore ? notBeforeMs : 0);
      const isTime = await until(() => Math.max(ownMs(), pausedUntilMs), giveUpAtMs);
      error = keyRefusal ?? error ?? (isTime ? undefined : pausedBy);
      // The machine may have slept, and the service may have forgotten the earlier attempt.
      const isLate = mayHaveApplied && now() > giveUpAtMs;
      if (!isTime || isLate || keyRefusal !== undefined || calls.signal.aborted) break;
      const result = await call(calls.signal);
      if (result.ok) return result;
      error = result.error;
      mayHaveAppliedBefore = mayHaveApplied;
      mayHaveApplied ||= error.mayHaveApplied;
      if (error.status === 401) {
        keyRefusal = error;
        wakeAll();
      }
      // Every other failure may be temporary.
      if (error.kind === "refused" || error.kind === "aborted") break;
      if (error.kind === "unreachable" && !Object(error.cause).cause && --maxSilentFailures < 1)
        break;
      notBeforeMs = now() + waitAfter(error, pauseMs);
      hurriesBefore = hurries;
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

  /** Never shorter than the service asks for, and always with jitter, so that clients don't retry together. */
  function waitAfter({ retryAfterMs }: ApiError, pauseMs: number): number {
    const ownMs = pauseMs * (0.5 + 0.5 * random());
    if (retryAfterMs === undefined) return ownMs;
    return Math.max(ownMs, retryAfterMs + retry.firstPauseMs * random());
  }

  /**
   * Waits for `time`, which may change meanwhile, unless no call is sent any more.
   *
   * @returns false, without waiting, if that is later than `latestMs`.
   */
  async function until(time: () => number, latestMs: number): Promise<boolean> {
    const isOver = (): boolean => calls.signal.aborted || keyRefusal !== undefined;
    for (let atMs = time(); atMs > now() && !isOver(); atMs = time()) {
      if (atMs > latestMs) return false;
      if (await pause(atMs - now() + EARLY_MS)) latestNowMs = Math.max(latestNowMs, atMs);
    }
    return true;
  }

  /** Leaves no timer behind. @returns whether it lasted so long, and wasn't ended early. */
  function pause(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isWhole: boolean): void => {
        cancel();
        wakes.delete(wake);
        resolve(isWhole);
      };
      const wake = (): void => end(false);
      const cancel = after(clock, ms, () => end(true));
      wakes.add(wake);
    });
  }

  function wakeAll(): void {
    for (const wake of wakes) wake();
  }

  function now(): number {
    latestNowMs = Math.max(latestNowMs, clock.now());
    return latestNowMs;
  }

  return {
    deliver,
    hurry() {
      hurries += 1;
      letIn(waiting.length);
      wakeAll();
    },
    stop() {
      calls.abort();
      wakeAll();
    },
  };
}
