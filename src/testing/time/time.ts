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
