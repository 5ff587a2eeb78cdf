/** How different two texts are, for suggesting what a user may have meant. */

import leven from "leven";

/** Longer texts are compared by their beginnings: the work grows with the square of the length. */
const LONGEST = 256;

/**
 * How many characters must be inserted, deleted or replaced to turn one text into the other. Stops counting above `most`,
 * which saves time.
 */
export function editDistance(left: string, right: string, most: number = LONGEST): number {
  return leven(left.slice(0, LONGEST), right.slice(0, LONGEST), { maxDistance: most + 1 });
}
