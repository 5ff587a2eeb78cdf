/** Random choices of assumptions for fast-check. They shrink to the defaults key by key. */

import fc from "fast-check";
import { given } from "../../base/plain-data.ts";
import {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  type Choice,
  catalogue,
  choicesOf,
} from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { checkNames } from "../options.ts";

export interface ArbitraryAssumptionsOptions {
  /** The keys that vary; the others have their defaults. @default all of them */
  readonly keys?: readonly AssumptionKey[] | undefined;
  /** Choices that every value has. They override `keys`, and don't shrink. @default none */
  readonly fixed?: { readonly [Key in AssumptionKey]?: Choice<Key> | undefined } | undefined;
}

/** In most values about this many keys aren't at their defaults. */
const HANDFUL = 4;

const points: Readonly<Record<string, Assumption>> = catalogue;

/**
 * Full assignments that a simulator accepts. In most of them a handful of keys differ from the default. A failure
 * shrinks until only the keys that it needs differ.
 *
 * @throws InputError for an unknown option, key or choice.
 */
export function arbitraryAssumptions(
  options: ArbitraryAssumptionsOptions = {},
): fc.Arbitrary<Assumptions> {
  checkNames(options, ["keys", "fixed"]);
  const { keys = Object.keys(points), fixed = {} } = options;
  const defaults = keys.map((key) => [key, points[key]?.default ?? ""]);
  // Throws for an unknown key or choice, and suggests the nearest one.
  resolveAssumptions({ ...Object.fromEntries(defaults), ...fixed });
  const repeats = Math.max(1, Math.ceil(keys.length / HANDFUL) - 1);
  const free = Object.entries(points).filter(([key]) => keys.some((one) => one === key));
  const choices = free.map(([key, point]) => {
    const [first, ...others] = choicesOf(point);
    // Repeats make the default likelier. constantFrom shrinks any value to its first at once.
    const likely = others.flatMap(() => Array(repeats).fill(first));
    return [key, fc.constantFrom(...likely, first, ...others)];
  });
  return fc
    .record<Record<string, string>>(Object.fromEntries(choices))
    .map((chosen) => resolveAssumptions({ ...chosen, ...given(fixed) }));
}
