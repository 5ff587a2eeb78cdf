/** Square roots that are the same on every engine: the language leaves the last bits of its own one to the engine. */

/** A step squares what is missing, as a share: after one as small as this, no more is missing than a double can show. */
const LAST_STEP = 1e-8;

/** By Newton's method. `guess`: the nearer, the sooner it is found. */
export function squareRoot(value: number, guess: number): number {
  if (value <= 0) return 0;
  let root = guess > 0 ? guess : value;
  for (;;) {
    const next = (root + value / root) / 2;
    const step = next > root ? next - root : root - next;
    if (step <= next * LAST_STEP) return next;
    root = next;
  }
}
