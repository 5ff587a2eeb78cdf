/** Random choices of assumptions for fast-check. They shrink to the defaults key by key. */

import fc from "fast-check";
import {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  type Choice,
  catalogue,
  choicesOf,
} from "../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";

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
 * Full assignments that a simulator accepts. In most of them a handful of keys differ from the default; in some, any
 * key may. A failure shrinks until only the keys that it needs differ.
 *
 * @throws InputError for an unknown key or choice.
 */
export function arbitraryAssumptions(
  options: ArbitraryAssumptionsOptions = {},
): fc.Arbitrary<Assumptions> {
  const { keys = Object.keys(points), fixed = {} } = options;
  // Throws for an unknown key, and suggests the nearest one.
  resolveAssumptions(Object.fromEntries(keys.map((key) => [key, points[key]?.default ?? ""])));
  const base = resolveAssumptions(fixed);
  const isFixed: Readonly<Record<string, unknown>> = fixed;
  const free = Array.from(new Set(keys)).flatMap((key) => {
    const point = isFixed[key] === undefined ? points[key] : undefined;
    return point === undefined ? [] : [{ key, choices: choicesOf(point) }];
  });
  // Repeats make the default likelier. constantFrom shrinks any value to its first at once.
  const choices = (repeats: number) =>
    fc.tuple(
      ...free.map(({ choices: [first, ...others] }) =>
        fc.constantFrom(...others.flatMap(() => Array(repeats).fill(first)), first, ...others),
      ),
    );
  const handful = choices(Math.max(1, Math.ceil(free.length / HANDFUL) - 1));
  return fc
    .oneof({ weight: 4, arbitrary: handful }, { weight: 1, arbitrary: choices(0) })
    .map((chosen) => {
      const pairs = free.map(({ key }, at) => [key, chosen[at] ?? ""]);
      return resolveAssumptions({ ...base, ...Object.fromEntries(pairs) });
    });
}
