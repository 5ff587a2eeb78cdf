/** Random assumptions of a campaign: any choice of the keys that it is about, a handful of the others. */

import fc from "fast-check";
import type { AssumptionKey, Assumptions } from "../../src/index.ts";
import { type Assumption, catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../src/spec/assumptions/resolve.ts";
import { arbitraryAssumptions } from "../../src/testing.ts";

// The catalogue's own names are its keys.
const allKeys = Object.keys(catalogue) as AssumptionKey[];

/**
 * Each choice of a key in `about` is as likely as any other; a failure shrinks to the defaults.
 *
 * @param others Of which a handful isn't at its default. @default all the others
 */
export function anyAssumptions(
  about: readonly AssumptionKey[],
  others: readonly AssumptionKey[] = allKeys.filter((key) => !about.includes(key)),
): fc.Arbitrary<Assumptions> {
  const chosen = fc.tuple(...about.map((key) => fc.constantFrom(...choicesOf(key))));
  return fc.tuple(arbitraryAssumptions({ keys: others }), chosen).map(([rest, choices]) => {
    const varied = Object.fromEntries(about.map((key, at) => [key, choices[at]]));
    return resolveAssumptions({ ...rest, ...varied });
  });
}

/** The default first. */
function choicesOf(key: AssumptionKey): string[] {
  const point: Assumption = catalogue[key];
  const others = Object.keys(point.choices).filter((choice) => choice !== point.default);
  return [point.default, ...others];
}
