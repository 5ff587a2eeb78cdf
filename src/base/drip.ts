/** Cuts a body into the pieces of a slow response. Counts timers, so late timers make it slower and nothing makes it faster. */

/** A body that is sent in pieces, one after each pause. */
export function createDrip(body: string, bytesPerSecond: number) {
  const bytes = new TextEncoder().encode(body);
  // Shorter pauses would cost timers, and no client could tell the difference.
  const everyMs = Math.max(50, Math.ceil(1000 / bytesPerSecond));
  let pauses = 0;
  const sentBytes = (): number =>
    Math.min(bytes.length, Math.floor((pauses * everyMs * bytesPerSecond) / 1000));
  return {
    /** The pause before each piece, in milliseconds. */
    everyMs,
    /** The piece that is due after one more pause: at least one byte, unless the body is empty. */
    next() {
      const from = sentBytes();
      pauses += 1;
      const to = sentBytes();
      return { piece: bytes.subarray(from, to), isLast: to === bytes.length };
    },
  };
}

/** `ms`, or the longest delay of a timer, nearly 25 days, if that is less. Node fires a timer with a longer one at once. */
export function timerMs(ms: number): number {
  return Math.min(ms, 0x7fff_ffff);
}
