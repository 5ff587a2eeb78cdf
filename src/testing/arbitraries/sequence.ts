/** Lists of any length from the shortest to the longest. */

import fc from "fast-check";

/** Without bias, which would make lists short and their items alike. */
export function sequenceOf<Item>(
  item: fc.Arbitrary<Item>,
  { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number },
): fc.Arbitrary<readonly Item[]> {
  return fc.noBias(fc.array(item, { minLength, maxLength, size: "max" }));
}
