/** In which pieces a body drips: by the count of timers, never faster than its pace, and slower where timers are late. */

/** How a body is handed over in pieces: one after each pause. */
export interface Pace {
  /** The pause before each piece, in milliseconds. */
  readonly everyMs: number;
  /** How many bytes are due after so many pauses: at least one for each. */
  dueAfter(pauses: number): number;
}

/** Shorter pauses cost more timers than anyone can tell. */
const LEAST_PAUSE_MS = 50;

export function paceOf(bytesPerSecond: number): Pace {
  const everyMs = Math.max(LEAST_PAUSE_MS, Math.ceil(1000 / bytesPerSecond));
  return {
    everyMs,
    dueAfter: (pauses) => Math.floor((pauses * everyMs * bytesPerSecond) / 1000),
  };
}

/** The longest time that a timer takes, in milliseconds: nearly 25 days. One of more would be over at once. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** A time that a timer can take. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}
