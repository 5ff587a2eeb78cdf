/** Square roots that are the same on every engine: the language leaves the last bits of its own one to the engine. */

/** Well below a billionth of a millisecond in any time that is worked out of it. */
const CLOSE = 1e-15;

/** By Newton's method. `guess`: the nearer, the sooner it is found. */
export function squareRoot(value: number, guess: number): number {
  if (value <= 0) return 0;
  let root = guess > 0 ? guess : value;
  for (;;) {
    const next = (root + value / root) / 2;
    const step = next > root ? next - root : root - next;
    if (step <= next * CLOSE) return next;
    root = next;
  }
}
