/** In which pieces a body drips: by the count of timers, never faster than its pace, and slower where timers are late. */

/** A body that is handed over in pieces: one after each pause. */
export interface Drip {
  /** The pause before each piece, in milliseconds. */
  readonly everyMs: number;
  /** What is due after one more pause: at least a byte, unless the body is empty. */
  next(): { readonly piece: Uint8Array; readonly isLast: boolean };
}

/** Shorter pauses cost more timers than anyone can tell. */
const MIN_PAUSE_MS = 50;

export function createDrip(body: string, bytesPerSecond: number): Drip {
  const bytes = new TextEncoder().encode(body);
  const everyMs = Math.max(MIN_PAUSE_MS, Math.ceil(1000 / bytesPerSecond));
  let pauses = 0;
  let sentBytes = 0;
  return {
    everyMs,
    next() {
      pauses += 1;
      const from = sentBytes;
      const dueBytes = Math.floor((pauses * everyMs * bytesPerSecond) / 1000);
      sentBytes = Math.min(bytes.length, dueBytes);
      return { piece: bytes.subarray(from, sentBytes), isLast: sentBytes === bytes.length };
    },
  };
}

/** The longest time that a timer takes, in milliseconds: nearly 25 days. One of more would be over at once. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** A time that a timer can take. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}
