/** Fault rules as JSON and back, with their counts: what they do next follows from both. */

import * as v from "valibot";
import { InputError } from "../base/input.ts";
import { type Rule, ruleOf, WHOLE_WORLD } from "./installed-rule.ts";
import { type FaultRule, parseRule } from "./rule.ts";

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

/** @throws InputError for a rule that is a function. */
export function savedRule({
  id,
  does,
  expiresMs,
  seen,
  fired,
}: Rule): SavedFaults["rules"][number] {
  if (does.kind === "function") {
    throw new InputError(
      `faults.${id}`,
      "is a function, which a snapshot can't hold. Remove it first, or write the rule as data",
      "conflict",
    );
  }
  return {
    // The id first, as the schema has it: a rule that was loaded is saved in the same words.
    rule: { ...{ id }, ...does.rule, id },
    expiresMs: Number.isFinite(expiresMs) ? expiresMs : null,
    seen: sorted(seen),
    fired: sorted(fired),
  };
}

/** In an order that doesn't tell who came first. */
function sorted(counts: ReadonlyMap<number, number>): [number, number][] {
  return Array.from(counts).sort(([left], [right]) => left - right);
}

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const counts = v.array(
  v.strictTuple([v.pipe(v.number(), v.safeInteger(), v.minValue(WHOLE_WORLD)), natural]),
);

/** The schema of saved rules; the rules themselves are checked by {@link loadFaults}. */
export const savedFaultsSchema: v.GenericSchema<unknown, SavedFaults> = v.strictObject({
  added: natural,
  rules: v.array(
    v.strictObject({
      rule: v.custom<FaultRule & { readonly id: string }>(
        (value) => typeof value === "object" && value !== null && "id" in value,
        "must be a rule with an id",
      ),
      expiresMs: v.nullable(v.pipe(v.number(), v.safeInteger())),
      seen: counts,
      fired: counts,
    }),
  ),
});

/** The rules of a snapshot. @throws InputError that names the field at fault. */
export function loadRules(seed: string, { rules }: SavedFaults): Rule[] {
  return rules.map((saved, index) => {
    try {
      const rule = parseRule(saved.rule);
      const expiresMs = saved.expiresMs ?? Number.POSITIVE_INFINITY;
      return {
        ...ruleOf(seed, saved.rule.id, { kind: "data", rule }, expiresMs),
        seen: new Map(saved.seen),
        fired: new Map(saved.fired),
      };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(`faults.rules.${index}.rule`, `can't be used: ${error.message}`);
    }
  });
}
