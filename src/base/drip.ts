/** Cuts a body into the pieces of a slow response. Counts timers, so late timers make it slower and nothing makes it faster. */

/** A body that is sent in pieces, one after each pause. */
export interface Drip {
  /** The pause before each piece, in milliseconds. */
  readonly everyMs: number;
  /** The piece that is due after one more pause: at least one byte, unless the body is empty. */
  next(): { readonly piece: Uint8Array; readonly isLast: boolean };
}

/** Shorter pauses would cost timers, and no client could tell the difference. */
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

/** The longest delay of a timer, nearly 25 days. Node fires a timer with a longer one at once. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** `ms`, or the longest delay that a timer supports if that is less. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}
