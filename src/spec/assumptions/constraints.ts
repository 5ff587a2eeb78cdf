/** Choices that can't be combined. Asking for them is an error, and covering arrays leave them out. */

import type { AssumptionKey, Choice } from "./catalogue.ts";

/** The `choices` of `key` require `needs.choice` for `needs.key`. `reason` is a sentence without its full stop. */
export interface Constraint {
  readonly key: AssumptionKey;
  readonly choices: readonly string[];
  readonly needs: { readonly key: AssumptionKey; readonly choice: string };
  readonly reason: string;
}

export const constraints = [
  {
    key: "payout.txn-id",
    choices: ["null", "absent"],
    needs: { key: "payout.statuses", choice: "extended" },
    reason: "then only paid payouts are listed, and those have a txn_id",
  },
] as const;

/** Checks that the keys and choices exist. */
type WellNamed = {
  [Key in AssumptionKey]: { readonly key: Key; readonly choices: readonly Choice<Key>[] };
}[AssumptionKey] & {
  readonly needs: {
    [Key in AssumptionKey]: { readonly key: Key; readonly choice: Choice<Key> };
  }[AssumptionKey];
};

constraints satisfies readonly (Constraint & WellNamed)[];

/** The first constraint that the choices break. `problem` is written to follow the key. */
export function brokenConstraint(
  chosen: Readonly<Record<string, string>>,
  among: readonly Constraint[] = constraints,
): { readonly key: AssumptionKey; readonly problem: string } | undefined {
  for (const { key, choices, needs, reason } of among) {
    const choice = chosen[key];
    if (choice === undefined || !choices.includes(choice)) continue;
    const other = chosen[needs.key];
    if (other === undefined || other === needs.choice) continue;
    return {
      key,
      problem:
        `can't be ${JSON.stringify(choice)} while ${needs.key} is ${JSON.stringify(other)}: ` +
        `${reason}. Choose ${needs.key}=${needs.choice} as well`,
    };
  }
  return undefined;
}
