/** A square root that is the same on every engine. The last bits of `Math.sqrt` are up to the engine. */

/** A step squares the relative error, so after a step this small the error is below a double's precision. */
const LAST_STEP = 1e-8;

/** Newton's method. `guess`: a good guess saves steps. */
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
