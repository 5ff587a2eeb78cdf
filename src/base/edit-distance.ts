/** How far apart two texts are: for saying what somebody may have meant. */

import leven from "leven";

/** Longer texts are compared by their beginnings: the work grows with the square of the length. */
const LONGEST = 256;

/**
 * How many characters must be put in, taken out or replaced to make one text of the other. `most`: further apart is more
 * than that, and takes less time to find out.
 */
export function editDistance(left: string, right: string, most: number = LONGEST): number {
  return leven(left.slice(0, LONGEST), right.slice(0, LONGEST), { maxDistance: most + 1 });
}
