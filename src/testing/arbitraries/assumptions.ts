/** Random readings of the spec for fast-check, which shrink to the defaults key by key. */

import fc from "fast-check";
import { InputError } from "../../base/input.ts";
import {
  type AssumptionKey,
  type Assumptions,
  type Choice,
  catalogue,
  type OpenPoint,
} from "../../spec/assumptions/catalogue.ts";
import { brokenConstraint } from "../../spec/assumptions/constraints.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";

export interface ArbitraryAssumptionsOptions {
  /** Which keys vary; the others have their defaults. @default all of them */
  readonly keys?: readonly AssumptionKey[] | undefined;
  /** Choices that hold in every value. They win over `keys`, and are not shrunk. @default none */
  readonly fixed?: { readonly [Key in AssumptionKey]?: Choice<Key> | undefined } | undefined;
}

/** About how many keys aren't at their defaults in most of the values. */
const HANDFUL = 4;
/** Of five values, one has all its keys at random. */
const WEIGHTS = { handful: 4, anything: 1 } as const;

const points: Readonly<Record<string, OpenPoint>> = catalogue;

/**
 * Full assignments that a simulator accepts. In most of them a handful of keys isn't at its default, in some any key
 * may be anything. A failure shrinks until no key can go back to its default: what is left is what it takes.
 *
 * @throws InputError for a key or choice that doesn't exist, and for fixed choices that make no sense together.
 */
export function arbitraryAssumptions(
  options: ArbitraryAssumptionsOptions = {},
): fc.Arbitrary<Assumptions> {
  const { keys = Object.keys(points), fixed = {} } = options;
  // A key that doesn't exist is refused here, with the nearest that does.
  resolveAssumptions(Object.fromEntries(keys.map((key) => [key, points[key]?.default ?? ""])));
  const base = resolveAssumptions(fixed);
  const isFixed: Readonly<Record<string, unknown>> = fixed;
  const free = Array.from(new Set(keys), columnOf).filter(({ key }) => isFixed[key] === undefined);
  // As many times the default beside the other choices: constantFrom shrinks any value to its first, at once.
  const defaultsEach = Math.max(1, Math.ceil(free.length / HANDFUL) - 1);
  const handful = fc.tuple(
    ...free.map(({ choices: [first, ...others] }) =>
      fc.constantFrom(...others.flatMap(() => Array(defaultsEach).fill(first)), first, ...others),
    ),
  );
  const anything = fc.tuple(...free.map(({ choices }) => fc.constantFrom(...choices)));

  function assign(choices: readonly string[]): Readonly<Record<string, string>> {
    return { ...base, ...Object.fromEntries(free.map(({ key }, at) => [key, choices[at] ?? ""])) };
  }
  /** The reverse, so that an example shrinks as well. Throws for what can't be a value. */
  function choicesIn(value: unknown): string[] {
    const assumptions: Readonly<Record<string, string>> = resolveAssumptions(Object(value));
    const choices = free.map(({ key }) => assumptions[key] ?? "");
    const differs = Object.entries(assign(choices)).some(
      ([key, choice]) => assumptions[key] !== choice,
    );
    if (differs) throw new InputError("assumptions", "must have the fixed choices");
    return choices;
  }

  return fc
    .oneof(
      { weight: WEIGHTS.handful, arbitrary: handful },
      { weight: WEIGHTS.anything, arbitrary: anything },
    )
    .filter((choices) => brokenConstraint(assign(choices)) === undefined)
    .map((choices) => resolveAssumptions(assign(choices)), choicesIn);
}

/** A key with the names of its choices, the default first. */
function columnOf(key: string): { key: string; choices: readonly [string, ...string[]] } {
  const { choices = {}, default: first = "" } = points[key] ?? {};
  return { key, choices: [first, ...Object.keys(choices).filter((choice) => choice !== first)] };
}
