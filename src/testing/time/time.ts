/** The time of a client under test: the world's own, virtual or real. */

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

/**
 * How work ended. `over`: it settled. `stuck`: it is pending, and no timer is left that could move it. `endless`: it
 * was still pending after the longest wait.
 */
export interface WaitResult {
  readonly kind: "over" | "stuck" | "endless";
}

/** Time that a test lets pass. */
export interface Time {
  readonly timers: Timers;
  /** Lets this much time pass, and fires the timers that become due. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the work settles or has taken too long. Doesn't reject if the work does. */
  until(work: Promise<unknown>): Promise<WaitResult>;
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
