/** The time that a client under test lives in: the world's own, virtual or real. */

/** A pending timer. */
export interface Timer {
  ref(): this;
  unref(): this;
}

/** What a client may use in place of `Date.now`, `setTimeout` and `clearTimeout`. */
export interface Timers {
  /** Milliseconds since 1970 on the world's clock. */
  now(): number;
  setTimeout(callback: () => void, delayMs?: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

/**
 * How work ended: `over`, it settled; `stuck`, nothing is left that it could wait for; `endless`, it is still waiting for
 * timers after longer than anybody waits.
 */
export interface WaitResult {
  readonly kind: "over" | "stuck" | "endless";
}

/** Time with somebody who lets it pass. */
export interface Time {
  readonly timers: Timers;
  /** Tells that something happened: the client is not waiting. */
  noteActivity(): void;
  /** Lets so much time pass, timers on the way and what follows from them included. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the work is settled, or has taken longer than anybody waits. Never rejects for the work's sake. */
  until(work: Promise<unknown>): Promise<WaitResult>;
  /** Resolves once nothing moves without time passing. */
  settle(): Promise<void>;
}
