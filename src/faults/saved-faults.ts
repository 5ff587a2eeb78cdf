/** Saves fault rules as JSON and loads them, with the counts that decide what they do next. */

import * as v from "valibot";
import { LAST_INSTANT_MS } from "../base/calendar.ts";
import { InputError, inField } from "../base/input.ts";
import { countSchema } from "../base/schemas.ts";
import { ALL_CALLERS, createRule, type Rule, type VerdictCheck } from "./installed-rule.ts";
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

const counts = v.pipe(
  v.array(
    v.strictTuple([v.pipe(v.number(), v.safeInteger(), v.minValue(ALL_CALLERS)), countSchema]),
  ),
  v.check(
    (pairs) =>
      pairs.every(([caller], index) => index === 0 || caller > (pairs[index - 1]?.[0] ?? 0)),
    "must be sorted by caller, with each caller once",
  ),
);

/** The schema of saved rules. {@link loadRules} checks the rules themselves. */
export const savedFaultsSchema: v.GenericSchema<unknown, SavedFaults> = v.strictObject({
  added: countSchema,
  rules: v.array(
    v.strictObject({
      rule: v.custom<FaultRule & { readonly id: string }>(
        (value) => typeof value === "object" && value !== null && "id" in value,
        "must be a rule with an id",
      ),
      expiresMs: v.nullable(
        v.pipe(
          v.number(),
          v.safeInteger(),
          v.minValue(0, "must not be before 1970"),
          v.maxValue(LAST_INSTANT_MS, "must not be past the year 9999"),
        ),
      ),
      seen: counts,
      fired: counts,
    }),
  ),
});

/**
 * `functionOf` returns the function that was saved as the rule with this id, if it was one.
 *
 * @throws InputError that names the invalid field.
 */
export function loadRules(
  seed: string,
  { rules }: SavedFaults,
  whyNot: VerdictCheck,
  functionOf: (id: string) => FaultFunction | undefined,
): Rule[] {
  const ids = new Set<string>();
  return rules.map((saved, index) =>
    inField(`faults.rules.${index}.rule`, () => {
      const { id = "", ...rule } = parseRule(saved.rule, "");
      if (id === "" || ids.has(id))
        throw new InputError("id", "is missing, or is that of another rule");
      ids.add(id);
      const why = whyNot(rule.verdict);
      if (why !== undefined) throw new InputError("verdict", why, "conflict");
      const given = functionOf(id) ?? rule;
      return {
        ...createRule(seed, id, given, saved.expiresMs ?? Number.POSITIVE_INFINITY),
        seen: new Map(saved.seen),
        fired: new Map(saved.fired),
      };
    }),
  );
}
