/** Saves fault rules as JSON and loads them, with the counts that decide what they do next. */

import { InputError, inField } from "../base/input.ts";
import { createRule, type Rule } from "./installed-rule.ts";
import { copyOfRule, type FaultFunction, type FaultRule, parseRule } from "./rule.ts";

/** Rules with their counts as JSON. */
export interface SavedFaults {
  /** How many rules were added so far. */
  readonly added: number;
  readonly rules: readonly {
    readonly rule: FaultRule & { readonly id: string };
    readonly expiresMs: number | null;
    readonly seen: readonly (readonly [caller: number, count: number])[];
    readonly fired: readonly (readonly [caller: number, count: number])[];
  }[];
}

/** @throws InputError for a rule that is a function, unless `inPlace` is to be saved instead of it. */
export function savedRule(
  { id, behaviour, expiresMs, seen, fired }: Rule,
  inPlace: FaultRule | undefined,
): SavedFaults["rules"][number] {
  const saved = behaviour.kind === "function" ? inPlace : behaviour.rule;
  if (saved === undefined) {
    throw new InputError(
      `faults.${id}`,
      "is a function, which a snapshot can't hold. Remove it first, or write the rule as data",
      "conflict",
    );
  }
  const { id: _, ...rest } = copyOfRule(saved);
  return {
    // The id always comes first, whether the user or the simulator chose it.
    rule: { id, ...rest },
    expiresMs: Number.isFinite(expiresMs) ? expiresMs : null,
    seen: sorted(seen),
    fired: sorted(fired),
  };
}

/** Sorted, so that equal states give equal snapshots. */
function sorted(counts: ReadonlyMap<number, number>): [number, number][] {
  return Array.from(counts).sort(([left], [right]) => left - right);
}

/**
 * `functionOf` returns the function that was saved as the rule with this id, if it was one.
 *
 * @throws InputError that names the invalid field.
 */
export function loadRules(
  seed: string,
  { rules }: SavedFaults,
  functionOf: (id: string) => FaultFunction | undefined,
): Rule[] {
  return rules.map((saved, index) =>
    inField(`faults.rules.${index}.rule`, () => {
      const rule = parseRule(saved.rule, "");
      const { id } = saved.rule;
      const given = functionOf(id) ?? rule;
      return {
        ...createRule(seed, id, given, saved.expiresMs ?? Number.POSITIVE_INFINITY),
        seen: new Map(saved.seen),
        fired: new Map(saved.fired),
      };
    }),
  );
}
