/** Choices that make sense only beside another. Any other combination works. */

import type { AssumptionKey, Assumptions, Choice } from "./catalogue.ts";

/** `key` may have one of `choices` only where `needed` has `choice`; `reason` says why. */
type Constraint = {
  [Key in AssumptionKey]: { readonly key: Key; readonly choices: readonly Choice<Key>[] };
}[AssumptionKey] &
  {
    [Needed in AssumptionKey]: { readonly needed: Needed; readonly choice: Choice<Needed> };
  }[AssumptionKey] & { readonly reason: string };

const constraints = [
  {
    key: "payout.txn-id",
    choices: ["null", "absent"],
    needed: "payout.statuses",
    choice: "extended",
    reason: "otherwise every payout that is listed is paid, and has one",
  },
] as const;

constraints satisfies readonly Constraint[];

/** The first choice that lacks the one it needs, and what to do about it. */
export function misfitIn(
  assumptions: Assumptions,
): { readonly key: AssumptionKey; readonly problem: string } | undefined {
  for (const { key, choices, needed, choice, reason } of constraints) {
    const dependent: readonly string[] = choices;
    if (!dependent.includes(assumptions[key]) || assumptions[needed] === choice) continue;
    const problem = `can be "${assumptions[key]}" only with ${needed} "${choice}": ${reason}. Choose both, or neither`;
    return { key, problem };
  }
  return undefined;
}
