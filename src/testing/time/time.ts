/**
 * The time of a client under test: the world's own, virtual or real. In real time a client talks to a real server: the world's
 * clock can jump, but waiting for work can't be shortened.
 */

import type { Clock } from "../../base/clock.ts";

/** A pending timer, as Node's. It converts to a number, as a browser's timer is one. */
export interface Timer {
  ref(): this;
  unref(): this;
  /** Whether it keeps a process alive. */
  hasRef(): boolean;
  /** Starts over. */
  refresh(): this;
  close(): void;
  [Symbol.toPrimitive](): number;
}

/** What a client may use in place of `Date.now`, `setTimeout` and `clearTimeout`. */
export interface Timers {
  /** Milliseconds since 1970 on the world's clock. */
  now(): number;
  setTimeout(callback: () => void, delayMs?: number): Timer;
  /** Takes a timer, its number, or what never was a timer. */
  clearTimeout(timer: unknown): void;
}

/** Time that a test lets pass. */
export interface Time {
  readonly timers: Timers;
  /** Lets this much time pass, and fires the timers that become due. */
  pass(ms: number): Promise<void>;
  /**
   * Lets time pass until the work settles: it is `over`, also if it rejects. It is `stuck` if no timer is left that could
   * move it, and `endless` if it took too long.
   */
  until(work: Promise<unknown>): Promise<{ readonly kind: "over" | "stuck" | "endless" }>;
  /** When the client's pending timers fire, on the world's clock. Without those that don't keep a process alive (`unref`). In real time none. */
  pendingTimers(): readonly number[];
  /** Resolves once nothing more happens unless time passes. */
  settle(): Promise<void>;
}

/** Resolves when this much time has passed. */
export function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, ms);
  });
}

/** Long enough for a request over loopback to be on its way. */
const SETTLE_MS = 20;

/** The longest wait for one piece of work. */
const LONGEST_WAIT_MS = 120_000;

const POLL_MS = 25;

interface RealTimeOptions {
  /** It flows, and `pass` makes it jump. */
  readonly clock: Pick<Clock, "now" | "advance">;
  /** True ends the wait, however much time is left. */
  readonly isEnough: () => boolean;
  /** How long a silent client gets before time passes. At least 20. @default 20 */
  readonly patienceMs?: number | undefined;
}

export function createRealTime({ clock, isEnough, patienceMs = 0 }: RealTimeOptions): Time {
  const timers: Time["timers"] = {
    now: () => clock.now(),
    // Node's and the browser's timers differ, but both are what clearTimeout takes.
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs) as unknown as Timer,
    clearTimeout: (timer) => clearTimeout(timer as unknown as number | undefined),
  };
  const settle = (): Promise<void> => pause(timers, Math.max(SETTLE_MS, patienceMs));
  return {
    timers,
    async pass(ms) {
      await settle();
      if (ms > 0) clock.advance(ms);
    },
    async until(work) {
      const over = Promise.allSettled([work]).then(() => "over" as const);
      const lastMs = performance.now() + LONGEST_WAIT_MS;
      for (;;) {
        const kind = await Promise.race([over, pause(timers, POLL_MS)]);
        if (kind === "over") return { kind };
        if (isEnough() || performance.now() > lastMs) return { kind: "endless" };
      }
    },
    pendingTimers: () => [],
    settle,
  };
}
