/**
 * Draws from the exponential distribution by comparing uniform ones only (von Neumann, 1951): exact, and the same on every
 * engine, which a logarithm isn't.
 */

import { drawBetween, type Key } from "../../base/random.ts";

const HIGHEST = 0xffff_ffff;
const VALUES = 0x1_0000_0000;

/** Gives one draw after the other, with mean 1. */
export function createExponentials(key: Key): () => number {
  let drawn = 0;
  return () => {
    let whole = 0;
    for (;;) {
      // Uniform draws fall from the first for a while. How often decides, and what is refused adds a whole to the result.
      const first = drawBetween(key, drawn, 0, HIGHEST);
      drawn += 1;
      let last = first;
      let isTaken = true;
      for (;;) {
        const next = drawBetween(key, drawn, 0, HIGHEST);
        drawn += 1;
        if (next >= last) break;
        last = next;
        isTaken = !isTaken;
      }
      if (isTaken) return whole + first / VALUES;
      whole += 1;
    }
  };
}
